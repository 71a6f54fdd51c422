import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { FIXTURES } from '../../support/fixtures';
import { makePlace, type Place } from './place';

/** The folder in which the sessions were recorded. */
const RECORDED_ROOT = '/home/user';

/** Copies a recording into a temporary home, with every path in it adapted. `recording`: relative to `fixtures`. */
export function placeRecording(recording: string, root: string): Place {
  const source = join(FIXTURES, recording);
  const place = makePlace(root, basename(recording, '.jsonl'));
  const text = readFileSync(source, 'utf8');
  writeFileSync(place.filePath, text.replaceAll(RECORDED_ROOT, root));
  const history = join(dirname(source), '..', '..', 'file-history', place.sessionId);
  if (existsSync(history)) cpSync(history, place.backupFolder, { recursive: true, preserveTimestamps: true });
  return place;
}
