/** Base64 (RFC 4648, standard alphabet, padded) to bytes. Throws on anything else. */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

const STEP = 0x8000; // more arguments than this overflow the stack

/** Bytes to base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += STEP) {
    binary += String.fromCharCode(...bytes.subarray(at, at + STEP));
  }
  return btoa(binary);
}
