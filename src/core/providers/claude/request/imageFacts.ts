export interface ImageFacts {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Of the longer side, in pixels; 0 if it is not read. */
  readonly pixels: number;
}

/** What the bytes of an image say of it; null if the API could not read it. */
export function imageFacts(bytes: Buffer): ImageFacts | null {
  if (bytes.length > 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    if (!bytes.includes('IEND')) return null;
    return { mediaType: 'image/png', pixels: Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) };
  }
  if (bytes.length > 10 && bytes.toString('latin1', 0, 3) === 'GIF') {
    return { mediaType: 'image/gif', pixels: Math.max(bytes.readUInt16LE(6), bytes.readUInt16LE(8)) };
  }
  if (bytes.length > 12 && bytes.toString('latin1', 8, 12) === 'WEBP') return { mediaType: 'image/webp', pixels: 0 };
  return bytes.length > 3 && bytes.readUInt16BE(0) === 0xffd8 ? jpegFacts(bytes) : null;
}

/** The size of a JPEG is in its first frame header. (ITU-T T.81, B.2.2) */
function jpegFacts(bytes: Buffer): ImageFacts | null {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { mediaType: 'image/jpeg', pixels: Math.max(bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
