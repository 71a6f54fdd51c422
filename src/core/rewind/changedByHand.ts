import { join, resolve } from 'node:path';
import type { CoverageNote } from '../../shared/rewind';
import { isFileBackupName, type FileBackup } from '../claude/checkpointRow';
import { EDIT_RESULT_NEEDLE, readEditResult, type EditResult } from '../claude/editResult';
import { NO_ID } from '../scan/idTable';
import { RowFlag } from '../scan/rowFlags';
import type { WriteFs } from '../write/writeFs';
import { haveSameBytes, readFileText } from './fileText';
import { lstatOrNull } from './lookAtFile';
import type { FilePlan } from './filePlan';
import type { SessionHistory } from './sessionHistory';

type ReadFs = Pick<WriteFs, 'open' | 'lstat'>;

/** How Claude left a file, as far as the transcript tells. */
type LeftAs =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'copy'; readonly path: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' };

/**
 * Files that are about to change and are not as Claude left them: what a person, or a program, did to them since goes, too. And
 * first copies that are not what the transcript says the file was.
 */
export async function findHandChanges(
  history: SessionHistory,
  plans: readonly FilePlan[],
  backupFolder: string,
  fs: ReadFs,
): Promise<readonly CoverageNote[]> {
  const changing = plans.filter(({ change, changesContent }) => change !== null && changesContent);
  if (changing.length === 0) return [];
  const { left, first } = readTold(history, backupFolder, new Set(changing.map(({ planned }) => planned.path)));
  const notes: CoverageNote[] = [];
  for (const { planned, change } of changing) {
    const { path } = planned;
    if (!(await isAsLeft(path, left.get(path) ?? { kind: 'unknown' }, fs).catch(() => true))) {
      const what = planned.exists ? 'was changed' : 'was removed';
      notes.push(
        note('byHand', path, `${path} ${what} after Claude’s last change of it, which a rewind takes back, too.`),
      );
    }
    const original = first.get(path);
    const isFirst = change?.after.kind === 'file' && change.after.contentPath.endsWith('@v1');
    if (isFirst && typeof original === 'string' && !(await isText(change.after.contentPath, original, fs))) {
      notes.push(note('doubtfulBackup', path, `The copy of ${path} is not what the transcript says the file was.`));
    }
  }
  return notes;
}

interface Told {
  /** By path, how Claude left the file. */
  readonly left: ReadonlyMap<string, LeftAs>;
  /** By path, the file before the first edit. */
  readonly first: ReadonlyMap<string, string | null>;
}

/** The newest snapshot tells how files were at its prompt, the results of edits behind it how they became. */
function readTold(history: SessionHistory, backupFolder: string, paths: ReadonlySet<string>): Told {
  const chain = history.chains.compacted;
  const folded = history.fold(chain);
  const { snapshots } = folded;
  const newest = snapshots.at(-1);
  const left = new Map<string, LeftAs>();
  const first = new Map<string, string | null>();
  if (newest !== undefined) {
    const folder = history.folderOf(folded);
    for (const [trackingPath, backup] of newest.backups) {
      const path = folder.locate(trackingPath, backup);
      if (path !== null && paths.has(path)) left.set(path, leftAs(backup, backupFolder));
    }
  }
  const row = newest === undefined ? NO_ID : history.chains.rowOf(newest.promptId);
  const from = row === NO_ID ? -1 : chain.rows.indexOf(row);
  for (const { at, result } of editResults(history, chain.rows)) {
    const path = resolve(history.cwd ?? '/', result.path);
    if (!paths.has(path)) continue;
    if (!first.has(path) && result.before !== undefined) first.set(path, result.before);
    if (at < from) continue;
    left.set(path, result.after === null ? { kind: 'unknown' } : { kind: 'text', text: result.after });
  }
  return { left, first };
}

function leftAs({ name }: FileBackup, backupFolder: string): LeftAs {
  if (name === null) return { kind: 'absent' };
  return isFileBackupName(name) ? { kind: 'copy', path: join(backupFolder, name) } : { kind: 'unknown' };
}

function* editResults(
  history: SessionHistory,
  chain: Int32Array,
): Generator<{ readonly at: number; readonly result: EditResult }> {
  const { rows } = history.facts;
  for (let at = 0; at < chain.length; at++) {
    const row = chain[at] ?? 0;
    if (!rows.has(row, RowFlag.hasToolResult)) continue;
    if (!history.rows.bytes(row, MAX_RESULT_BYTES).includes(EDIT_RESULT_NEEDLE)) continue;
    const object = history.rows.object(row);
    const result = object === null ? null : readEditResult(object);
    if (result !== null) yield { at, result };
  }
}

/** Of a result: longer ones are looked into no further. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024;

async function isAsLeft(path: string, left: LeftAs, fs: ReadFs): Promise<boolean> {
  const stat = await lstatOrNull(path, fs);
  switch (left.kind) {
    case 'unknown':
      return true;
    case 'absent':
      return stat === null;
    case 'text':
      return stat !== null && (await isText(path, left.text, fs));
    case 'copy': {
      const copy = await lstatOrNull(left.path, fs);
      if (copy === null) return true;
      return stat?.size === copy.size && (await haveSameBytes(path, left.path, Number(copy.size), fs));
    }
  }
}

/** Rows tell texts with `\n`, whatever ends the lines of the file. */
async function isText(path: string, text: string, fs: ReadFs): Promise<boolean> {
  const found = await readFileText(path, fs);
  return found.kind !== 'text' || withNewlines(found.text) === withNewlines(text);
}

function withNewlines(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

function note(kind: CoverageNote['kind'], path: string, message: string): CoverageNote {
  return { kind, path, line: null, message };
}
