/** Addresses that an agent wrote: what may be a link, what may be a picture. */

const LINKS = new Set(["http:", "https:", "mailto:"]);

/** The address when a click on it may open it, else null. Relative addresses mean nothing here. */
export function safeHref(address: string): string | null {
  try {
    const url = new URL(address);
    return LINKS.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

const IMAGE_DATA = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+$/;

/** The address when it is a picture in itself, else null: nothing is ever loaded from elsewhere. */
export function safeImage(address: string): string | null {
  return IMAGE_DATA.test(address) ? address : null;
}
