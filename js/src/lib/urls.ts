/** Addresses and data that an agent wrote: what may be a link, a picture, a sound. */

const LINKS = new Set(["http:", "https:", "mailto:"]);

function parsed(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

/** The address when a click on it may open it, else null. Relative addresses mean nothing here. */
export function safeHref(address: string): string | null {
  const url = parsed(address);
  return url && LINKS.has(url.protocol) ? url.href : null;
}

/** The host of an address of the web, else null. */
export function webHost(address: string): string | null {
  const url = parsed(address);
  return url && /^https?:$/.test(url.protocol) ? url.host : null;
}

/** The path in a `file:` address, else null. */
export function filePath(address: string): string | null {
  const url = parsed(address);
  if (url?.protocol !== "file:") return null;
  const path = (url.host && `//${url.host}`) + url.pathname.replace(/^\/(?=[A-Za-z]:)/, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const IMAGE_DATA = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+$/;

/** The address when it is a picture in itself, else null: nothing is ever loaded from elsewhere. */
export function safeImage(address: string): string | null {
  return IMAGE_DATA.test(address) ? address : null;
}

const PLAYED = /^(image\/(png|jpeg|gif|webp)|audio\/(wav|x-wav|mpeg|ogg|webm|mp4|flac|aac))$/;

/** A `data:` address for a picture ("image") or a sound ("audio") of a type that carries no program, else null. */
export function dataUrl(mime: string, data: string, kind: string): string | null {
  const type = mime
    .toLowerCase()
    .replace(/[\s;].*$/s, "")
    .replace("image/jpg", "image/jpeg")
    .replace("audio/mp3", "audio/mpeg");
  return type.startsWith(kind) && PLAYED.test(type) ? `data:${type};base64,${data}` : null;
}

/** Why data cannot be used, or null. A snapshot cuts what is too long for it. */
export function dataProblem(data: string | null): string | null {
  if (!data) return "its data is missing or not text";
  if (/… \[cut: \d+ characters\]$/.test(data)) return "only a part of its data was kept";
  return data.replace(/\s/g, "").length % 4 || !/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(data)
    ? "its data is not base64"
    : null;
}
