import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../../../rewind/support/place';

/** Every regular file below a folder, with its text. */
export function textsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = statSync(path);
    if (stat.isDirectory()) return textsIn(path);
    return stat.isFile() ? [readFileSync(path, 'utf8')] : [];
  });
}

/** Everything that can still be found after rewinds: the project, and the safety snapshots. */
export function textsLeft(place: Place): string[] {
  return [...textsIn(place.cwd), ...textsIn(join(place.configDir, 'rethread', 'rewinds'))];
}
