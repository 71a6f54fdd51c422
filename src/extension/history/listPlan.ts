import {
  FILE_GROUPS,
  type FileGroup,
  type ListedFile,
  type NoteGroup,
  type NoteTarget,
  type RewindStage,
} from '../../protocol/channels/rewindView';
import type { RewindState } from '../../protocol/channels/history';
import {
  COVERAGE_KINDS,
  type CoverageKind,
  type CoverageNote,
  type PlannedFile,
  type RewindPlan,
} from '../../protocol/history';
import type { Services } from '../services';
import { changeFacts, coverageExplanation, coverageHeading, plannedChange, promptName } from './rewindText';

export interface ListDeps extends Pick<Services, 'formats' | 't'> {
  /** Shortens a path for display. */
  readonly displayPath: (path: string) => string;
}

/** The files of a plan as the page lists them. Those that stay as they are anyway are left out. */
export function listFiles(
  { files, coverage }: Pick<RewindPlan, 'files' | 'coverage'>,
  deps: ListDeps,
): readonly ListedFile[] {
  const { displayPath, formats, t } = deps;
  const doubts = new Map(coverage.flatMap(({ kind, path, message }) => (isDoubt(kind) ? [[path, message]] : [])));
  const listed = files.flatMap((file): ListedFile[] => {
    const { path, insertions, deletions } = file;
    const group = groupOf(file, doubts.has(path));
    if (group === null) return [];
    const doubt = group === 'doubtful' ? doubts.get(path) : undefined;
    return [
      {
        path,
        // Where it is matters if it is outside.
        name: oneLine(file.isOutside ? path : displayPath(path)),
        group,
        change: plannedChange(file),
        ...(group === 'left' ? { insertions: 0, deletions: 0 } : { insertions, deletions }),
        facts: changeFacts(file, formats, t),
        why: doubt === undefined ? (file.why ?? null) : inWords(doubt, path, displayPath),
      },
    ];
  });
  return FILE_GROUPS.flatMap((group) => listed.filter((file) => file.group === group));
}

/** Null for a file that is as it was. */
function groupOf(file: PlannedFile, isDoubtful: boolean): FileGroup | null {
  if (file.action === 'unchanged') return null;
  if (plannedChange(file) === null) return 'left';
  if (file.isSensitive) return 'sensitive';
  if (file.isOutside) return 'outside';
  return isDoubtful ? 'doubtful' : 'changing';
}

/** The files of a rewind that can be undone, as the page lists them. */
export function listUndoFiles({ paths, obstacles }: RewindState, { displayPath }: ListDeps): readonly ListedFile[] {
  const inTheWay = new Map(obstacles.map((each) => [each.path, each]));
  const listed = paths.map((path): ListedFile => {
    const { why = null, isOutside = false, isSensitive = false } = inTheWay.get(path) ?? {};
    const isMovable = why === null || isOutside || isSensitive;
    return {
      path,
      name: oneLine(isOutside ? path : displayPath(path)),
      group: !isMovable ? 'left' : isSensitive ? 'sensitive' : isOutside ? 'outside' : 'changing',
      change: null,
      insertions: 0,
      deletions: 0,
      facts: '',
      why,
    };
  });
  return FILE_GROUPS.flatMap((group) => listed.filter((file) => file.group === group));
}

/** The paths of the files that may change. */
export function changeable(files: readonly ListedFile[]): readonly string[] {
  return files.flatMap(({ path, group }) => (group === 'left' ? [] : [path]));
}

/** @param files those of `listFiles` */
export function planStage(plan: RewindPlan, files: readonly ListedFile[], deps: ListDeps): RewindStage {
  const notRestored = listNotes(plan, deps);
  if (plan.problem !== null) return { kind: 'nothing', message: plan.problem, notRestored };
  if (files.length === 0) {
    const message = deps.t('Every file is what it was before “{0}”.', promptName(plan, deps.t));
    return { kind: 'nothing', message, notRestored };
  }
  const { token, isLive } = plan;
  return { kind: 'plan', plan: { token, files, notRestored, isLive } };
}

/** What a rewind would not restore, by kind. What the list of the files says is left out. */
export function listNotes(
  { files, coverage }: Pick<RewindPlan, 'files' | 'coverage'>,
  deps: ListDeps,
): readonly NoteGroup[] {
  const gone = new Set(files.flatMap(({ path, exists }) => (exists ? [] : [path])));
  const choosable = new Set(files.flatMap((file) => (plannedChange(file) === null ? [] : [file.path])));
  const notes = coverage.filter(
    ({ kind, path }) => !(isDoubt(kind) || PLACE_NOTES.has(kind)) || path === null || !choosable.has(path),
  );
  return COVERAGE_KINDS.flatMap((kind) => {
    const ofKind = notes.filter((note) => note.kind === kind);
    if (ofKind.length === 0) return [];
    const group: NoteGroup = {
      heading: coverageHeading(kind, deps.t),
      explanation: coverageExplanation(kind, deps.t),
      notes: ofKind.map((note) => ({
        words: wordsOf(note, deps),
        target: targetOf(note, gone),
        ...(note.path !== null && TAKEN_BACK.has(kind) && choosable.has(note.path) && { onlyWith: note.path }),
        ...(note.lateCopies !== undefined && { lateCopies: note.lateCopies.filter((path) => choosable.has(path)) }),
      })),
    };
    return [group];
  });
}

/** Notes about files that change if the person chooses them. */
const PLACE_NOTES: ReadonlySet<CoverageKind> = new Set<CoverageKind>(['outside', 'sensitive']);

/** Notes on what becomes of a file if the rewind changes it. */
const TAKEN_BACK: ReadonlySet<CoverageKind> = new Set<CoverageKind>(['byHand', 'laterCopy']);

function isDoubt(kind: CoverageKind): boolean {
  return kind === 'doubtfulBackup';
}

function wordsOf({ path, message, command }: CoverageNote, { displayPath }: ListDeps): string {
  if (path === null) return oneLine(command ?? message);
  const words = inWords(message, path, displayPath);
  return message.includes(path) ? words : oneLine(`${displayPath(path)}: ${message}`);
}

/** @param gone paths of files that are not there */
function targetOf({ line, path }: CoverageNote, gone: ReadonlySet<string>): NoteTarget | null {
  if (line !== null) return { kind: 'message', line };
  return path === null || gone.has(path) ? null : { kind: 'file', path };
}

/** A sentence with the path as it is shown. */
function inWords(sentence: string, path: string, displayPath: (path: string) => string): string {
  return oneLine(sentence.replace(path, () => displayPath(path)));
}

/** A file name can contain a line break. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, ' ');
}
