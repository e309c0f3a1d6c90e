/** Files from data of the agent: made at the click, given to the browser to save, never opened in the page. */

/** A name for a file, from an address that the agent wrote: its last part, without what could lead elsewhere. */
export function fileName(uri: string, fallback: string): string {
  let last =
    uri
      .replace(/[?#].*$/s, "")
      .split(/[/\\]/)
      .pop() ?? "";
  try {
    last = decodeURIComponent(last);
  } catch {
    // as it stands
  }
  return (
    last
      .replace(/[^\p{L}\p{N}._ -]+/gu, "_")
      .replace(/^[. ]+/, "")
      .slice(-100)
      .trim() || fallback
  );
}

export function download(name: string, data: Uint8Array): void {
  const url = URL.createObjectURL(new Blob([data as BlobPart], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000); // some browsers read it after the click
}
