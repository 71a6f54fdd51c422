import { appendFileSync, cpSync } from 'node:fs';
import { join, relative } from 'node:path';
import { removeFolder } from '../../support/removeFolder';
import { HOME, type Place } from './place';

/**
 * A copy of the home in which Claude continues on another branch, as named by the last row. The original transcript
 * stays unchanged. (docs/format.md, "Leaf")
 */
export function makeBranchHome(place: Place, leafUuid: string): string {
  const home = join(place.root, HOME, 'other-home');
  removeFolder(home);
  cpSync(place.configDir, join(home, '.claude'), { recursive: true, preserveTimestamps: true });
  const transcript = join(home, relative(place.home, place.filePath));
  const row = { type: 'last-prompt', lastPrompt: 'x', leafUuid, sessionId: place.sessionId };
  appendFileSync(transcript, `${JSON.stringify(row)}\n`);
  return home;
}
