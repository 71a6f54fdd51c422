import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes that must not be lost. */
export interface Piece {
  readonly name: string;
  readonly bytes: Buffer;
  /** A whole file, the start of one, or a line of one. */
  readonly unit: 'file' | 'start' | 'line';
}

/** The pieces that none of the files has, compared by their hashes. */
export function missingPieces(pieces: readonly Piece[], files: readonly string[]): readonly Piece[] {
  const contents = files.flatMap((path) => {
    const bytes = readIfFile(path);
    return bytes === null ? [] : [bytes];
  });
  const whole = new Set(contents.map(hashOf));
  const lines = pieces.some(({ unit }) => unit === 'line') ? new Set(contents.flatMap(linesOf).map(hashOf)) : null;
  return pieces.filter(({ bytes, unit }) => {
    const hash = hashOf(bytes);
    if (unit === 'file') return !whole.has(hash);
    if (unit === 'line') return lines?.has(hash) !== true;
    return !contents.some(
      (content) => content.length >= bytes.length && hashOf(content.subarray(0, bytes.length)) === hash,
    );
  });
}

/** Absolute paths of everything below a folder that is not a folder. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** Absolute paths of all folders below a folder. */
export function foldersBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...foldersBelow(path)] : [];
  });
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** With their newlines. What has none is not a line yet. */
export function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; ;) {
    const end = bytes.indexOf(0x0a, from);
    if (end < 0) return lines;
    lines.push(bytes.subarray(from, end + 1));
    from = end + 1;
  }
}

function readIfFile(path: string): Buffer | null {
  try {
    return lstatSync(path).isFile() ? readFileSync(path) : null;
  } catch {
    return null;
  }
}
