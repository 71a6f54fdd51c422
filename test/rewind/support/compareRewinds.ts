import { join } from 'node:path';
import type { RewindFilesResult } from '../../../src/protocol/history';
import { type FileTree, readTree, treeDifferences, writeTree } from './fileTree';
import { HOME, type Place, rewindsOf } from './place';
import type { ClientRewind, RewindClient } from './rewindClient';
import { sessionRefOf } from '../../rooms/format';

export interface Compared {
  /** Number of rewinds that both made. */
  rewinds: number;
  /** Number of those that changed a file. */
  changes: number;
  /**
   * Files that the client treated as unchanged by size and time, against its own dry run. (docs/format.md, "File
   * history")
   */
  mistaken: number;
  /** The differences, one line each. */
  readonly differences: string[];
}

/**
 * Rewinds the files to each prompt, by the client and by us, each time from the same tree, and compares the dry runs
 * and every file. It also checks that our undo restores the tree. The client runs with the session loaded.
 */
export async function compareRewinds(
  place: Place,
  client: RewindClient,
  prompts: readonly string[],
  tree: FileTree,
): Promise<Compared> {
  const compared: Compared = { rewinds: 0, changes: 0, mistaken: 0, differences: [] };
  const rewinds = rewindsOf(place);
  const session = sessionRefOf(place.filePath);
  // The client skips what is in the way.
  const given = { roots: [place.root], paths: null, mayLeaveRoots: false, skipObstacles: true, mayBeLive: true };
  const request = { session, ...given };
  for (const promptUuid of prompts) {
    const reported = (what: string): void => {
      compared.differences.push(`${place.sessionId} ${promptUuid}: ${what}`);
    };
    writeTree(place.root, tree, [HOME]);
    const before = readTree(place.root, [HOME]);
    const theirs = await client.rewind(promptUuid, true);
    const ours = await rewinds.dryRun({ ...request, promptUuid, token: null });
    for (const what of resultDifferences(theirs, ours.result)) reported(what);
    for (const what of treeDifferences(before, readTree(place.root, [HOME]), true))
      reported(`a dry run changed ${what}`);
    if (!theirs.canRewind) continue;

    const done = await client.rewind(promptUuid, false);
    const byClient = readTree(place.root, [HOME]);
    writeTree(place.root, tree, [HOME]);
    const outcome = await rewinds.rewind({ ...request, promptUuid, token: null });
    const byUs = readTree(place.root, [HOME]);
    if (done.canRewind !== outcome.result.canRewind)
      reported(`rewound: ${done.error ?? ''} / ${outcome.result.error ?? ''}`);
    const mistaken = mistakenFiles(place, theirs, before, byClient, byUs);
    compared.mistaken += mistaken.size;
    for (const what of treeDifferences(without(byClient, mistaken), without(byUs, mistaken))) reported(what);
    compared.rewinds += 1;
    if (outcome.safetyPath === null) continue;
    compared.changes += 1;
    const undone = await rewinds.undoRewind(session, given);
    if (undone.reason !== null) reported(`not undone: ${undone.result.error ?? ''}`);
    for (const what of treeDifferences(before, readTree(place.root, [HOME]), true)) reported(`after undo, ${what}`);
  }
  return compared;
}

/**
 * Files with the copy's size and mode but other bytes that are older than the copy: the client does not restore them.
 */
function mistakenFiles(
  place: Place,
  { filesChanged = [] }: ClientRewind,
  before: FileTree,
  byClient: FileTree,
  byUs: FileTree,
): ReadonlySet<string> {
  const copies = [...readTree(place.backupFolder).values()];
  const mistaken = new Set<string>();
  for (const [path, file] of before) {
    const [theirs, ours] = [byClient.get(path), byUs.get(path)];
    if (!file || !theirs || !ours || !filesChanged.includes(join(place.root, path))) continue;
    const isLeft = theirs.bytes.equals(file.bytes) && theirs.mode === file.mode && !ours.bytes.equals(file.bytes);
    const looksSame = ours.bytes.length === file.bytes.length && ours.mode === file.mode;
    const isOlder = copies.some((copy) => copy?.bytes.equals(ours.bytes) === true && file.mtimeNs < copy.mtimeNs);
    if (isLeft && looksSame && isOlder) mistaken.add(path);
  }
  return mistaken;
}

function without(tree: FileTree, paths: ReadonlySet<string>): FileTree {
  return new Map([...tree].filter(([path]) => !paths.has(path)));
}

function resultDifferences(theirs: ClientRewind, ours: RewindFilesResult): string[] {
  const differences: string[] = [];
  const compare = (name: string, one: unknown, other: unknown): void => {
    if (JSON.stringify(one) !== JSON.stringify(other)) {
      differences.push(`${name}: ${JSON.stringify(one)} / ${JSON.stringify(other)}`);
    }
  };
  compare('canRewind', theirs.canRewind, ours.canRewind);
  if (!theirs.canRewind) return differences;
  compare('filesChanged', sorted(theirs.filesChanged), sorted(ours.filesChanged));
  compare('insertions', theirs.insertions, ours.insertions);
  compare('deletions', theirs.deletions, ours.deletions);
  return differences;
}

function sorted(paths: readonly string[] = []): string[] {
  return [...paths].sort();
}
