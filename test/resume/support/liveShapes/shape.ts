import { crc32, deflateSync } from 'node:zlib';
import type { LiveSession } from '../liveSession';

/** Lets the real client write one session, or several. */
type Drive = (live: LiveSession) => Promise<void>;

export interface LiveShape {
  readonly drive: Drive;
  /** Texts in the transcripts that prove that the client did what the shape is about. */
  readonly shows: readonly string[];
  /** How many sessions it leaves. */
  readonly sessions: number;
}

export function shape(shows: readonly string[], drive: Drive, sessions = 1): LiveShape {
  return { drive, shows, sessions };
}

/** Shapes by name. */
export type LiveShapes = Readonly<Record<string, LiveShape>>;

/** A picture of one pixel; a different one for each number. */
export function picture(number: number): object {
  const data = onePixel(number).toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
}

/** The bytes of that picture. */
export function onePixel(number: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    crc.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, crc]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const pixel = deflateSync(Buffer.from([0, number % 256, 0, 0]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixel), chunk('IEND', Buffer.alloc(0))]);
}
