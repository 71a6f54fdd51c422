import { dirname } from 'node:path';
import type { CoverageKind, CoverageNote, PlannedFile, RewindAction } from '../../../protocol/history';
import { type FileAfter, type FileChange, permissionsOf, sha256Of } from '../../storage/files/fileChange';
import { realPathOf } from '../../storage/files/projectFolder';
import { errorCode } from '../../storage/refusal';
import type { FileStat, WriteFs } from '../../storage/writeFs';
import { type AllowedFolders, isRecord, isWithin } from './allowedFolders';
import {
  commonErrorCode,
  countLines,
  type FileState,
  haveSameBytes,
  type LineCounts,
  readFileState,
  lstatOrNull,
  MAX_TEXT_BYTES,
  readFileText,
} from './fileText';
import { isWaivable, OWN_RECORD, placeProblem } from './obstacles';
import type { WantedFile, WantedState } from './wantedFiles';

/** What a rewind does with one file. */
export interface FilePlan {
  readonly planned: PlannedFile;
  readonly wanted: WantedFile;
  /** Null if there is nothing to do, or nothing can be done. */
  readonly change: FileChange | null;
  readonly notes: readonly CoverageNote[];
  /** Its bytes change, not only its permissions. */
  readonly changesContent: boolean;
  /**
   * Whether the client's dry run counts it as changed: its lines differ, or it is removed. A new empty file does not
   * count.
   */
  readonly isCounted: boolean;
  /** The copy was written after its time in the transcript, so it may be another one. */
  readonly isLateCopy: boolean;
  /** Identifies what was inspected. */
  readonly seen: string;
}

/** Copies are written within this interval of the time in their rows. */
const COPY_MS = 2_000;

/** Collects the findings on one file. */
class FilePlanDraft {
  change: FileChange | null = null;
  changesContent = true;
  #counts: LineCounts = { insertions: 0, deletions: 0 };
  #isBinary = false;
  #isTooLarge = false;
  readonly #notes: CoverageNote[] = [];

  constructor(
    private readonly wanted: WantedFile,
    private readonly current: FileState,
    private readonly content: ContentState,
  ) {}

  get modeChange(): PlannedFile['modeChange'] {
    const { current, content, wanted } = this;
    if (current.kind !== 'file' || content.kind !== 'file' || wanted.state.kind !== 'file') return null;
    const [from, to] = [permissionsOf(current.stat), wanted.state.mode ?? permissionsOf(content.stat)];
    return from === to ? null : { from, to };
  }

  get #hasOtherLines(): boolean {
    return this.#counts.insertions + this.#counts.deletions > 0;
  }

  async count(fs: Pick<WriteFs, 'open'>): Promise<void> {
    if (!this.changesContent) return;
    const { current, content, wanted } = this;
    const before = current.kind === 'file' ? await readFileText(wanted.path, fs) : NOTHING;
    const after = content.kind === 'file' ? await readFileText(content.path, fs) : NOTHING;
    if (before.kind === 'tooLarge' || after.kind === 'tooLarge') {
      this.#isTooLarge = true;
      this.#note('other', `is larger than ${MAX_TEXT_BYTES / 1024 / 1024} MiB: its lines were not counted.`);
    } else if (before.kind === 'text' && after.kind === 'text') this.#counts = countLines(before.text, after.text);
    else this.#isBinary = true;
  }

  unchanged(): FilePlan {
    return this.#plan('unchanged', null);
  }

  skipped(found: Obstacle): FilePlan {
    this.change = null;
    this.#note(found.kind, `is left as it is. ${found.why}`);
    return this.#plan('skipped', found);
  }

  /** @param found what the person may waive */
  changed(found: Obstacle | null): FilePlan {
    if (found !== null) {
      this.#note(found.kind, `is left as it is. ${found.why}`);
      return this.#plan('skipped', found);
    }
    return this.#plan(changeAction(this.change), null);
  }

  #note(kind: CoverageNote['kind'], words: string): void {
    const { path } = this.wanted;
    this.#notes.push({ kind, path, line: null, message: `${path} ${words}` });
  }

  #plan(action: RewindAction, found: Obstacle | null): FilePlan {
    const { current, content, wanted, change } = this;
    const isFile = content.kind === 'file';
    // Rethread's own copies are checked by their hash, so their time does not matter.
    const keptMs = wanted.kind === 'client' ? wanted.keptMs : null;
    return {
      planned: {
        path: wanted.path,
        action,
        ...(found === null ? {} : { why: found.why }),
        ...this.#counts,
        isBinary: this.#isBinary,
        isTooLarge: this.#isTooLarge,
        size: isFile ? Number(content.stat.size) : 0,
        contentPath: isFile ? content.path : null,
        exists: current.kind === 'file' || current.kind === 'symlink' || current.kind === 'other',
        modeChange: this.modeChange,
        isOutside: found?.isOutside === true,
        isSensitive: found?.isSensitive === true,
      },
      wanted,
      change,
      notes: this.#notes,
      changesContent: change !== null && this.changesContent,
      isCounted:
        change !== null &&
        (change.after.kind === 'absent' || this.#isBinary || this.#isTooLarge || this.#hasOtherLines),
      isLateCopy: change !== null && isFile && keptMs !== null && Number(content.stat.mtimeMs) > keptMs + COPY_MS,
      seen: [wanted.path, action, seenFile(current), isFile ? statText(content.stat) : content.kind].join('\n'),
    };
  }
}

const NOTHING = { kind: 'text', text: '' } as const;

export function changeAction(change: FileChange | null): RewindAction {
  if (change === null) return 'unchanged';
  if (change.after.kind === 'absent') return 'delete';
  return change.before.kind === 'absent' ? 'create' : 'restore';
}

function seenFile(current: FileState): string {
  return current.kind === 'file' ? statText(current.stat) : current.kind;
}

function statText({ dev, ino, size, mtimeNs, mode, nlink }: FileStat): string {
  return [dev, ino, size, mtimeNs, mode, nlink].join(' ');
}

type ReadFs = Pick<WriteFs, 'open' | 'lstat' | 'realpath' | 'accessToWrite'>;

/** Inspects the file and its target state without changing anything. Rejects only if the disk fails. */
export async function planFile(wanted: WantedFile, allowed: AllowedFolders, fs: ReadFs): Promise<FilePlan> {
  const current = await readFileState(wanted.path, fs);
  const content = await readContentState(wanted.state, fs);
  const draft = new FilePlanDraft(wanted, current, content);
  if ((current.kind === 'blocked' || current.kind === 'impossible') && wanted.state.kind === 'absent')
    return draft.unchanged();
  if (current.kind !== 'file' && current.kind !== 'absent') return draft.skipped(obstacleAt(current));
  if (content.kind === 'missing') return draft.skipped(content.obstacle);
  const before =
    current.kind === 'file' ? ({ kind: 'file', stat: current.stat } as const) : ({ kind: 'absent' } as const);
  try {
    if (content.kind === 'absent') {
      if (current.kind === 'absent') return draft.unchanged();
    } else if (current.kind === 'file') {
      const isSame = current.stat.size === content.stat.size;
      const hasSameBytes = isSame && (await haveSameBytes(wanted.path, content.path, Number(content.stat.size), fs));
      if (hasSameBytes && draft.modeChange === null) return draft.unchanged();
      draft.changesContent = !hasSameBytes;
    }
    const after = await afterOf(wanted.state, content, fs);
    if (after === null)
      return draft.skipped(obstacle('alteredBackup', 'Its copy is not what it was when it was made.'));
    draft.change = { path: wanted.path, realFolder: current.realFolder, before, after };
    const found = await findObstacle(draft.change, wanted, allowed, fs);
    if (found !== null && !isWaivable(found)) return draft.skipped(found);
    await draft.count(fs);
    return draft.changed(found);
  } catch (error) {
    return draft.skipped(obstacle('readOnly', `It cannot be read (${commonErrorCode(error)}).`));
  }
}

function obstacleAt(current: FileState): Obstacle {
  switch (current.kind) {
    case 'symlink':
      return obstacle('symlink', 'It is a symbolic link, which is not followed.');
    case 'unreadable':
      return obstacle('readOnly', `It cannot be looked at (${current.code}).`);
    case 'impossible':
      return obstacle('notAFile', 'No file can have such a path.');
    case 'other':
      return obstacle('notAFile', `A${current.what.slice(1)} stands in its place.`);
    default:
      return obstacle('notAFile', 'Its folder cannot be reached: a file or a broken link is in the way.');
  }
}

/** The state after the change; null if the copy no longer has the recorded hash. */
async function afterOf(state: WantedState, content: ContentState, fs: ReadFs): Promise<FileAfter | null> {
  if (content.kind !== 'file' || state.kind !== 'file') return { kind: 'absent' };
  if (state.sha256 !== null && (await sha256Of(content.path, fs)) !== state.sha256) return null;
  const { path: contentPath, stat } = content;
  const mode = state.mode ?? permissionsOf(stat);
  return { kind: 'file', contentPath, size: Number(stat.size), sha256: state.sha256, mode, times: null, owner: null };
}

/** What is available of a file's target state. */
type ContentState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly path: string; readonly stat: FileStat }
  | { readonly kind: 'missing'; readonly obstacle: Obstacle };

/** Rejects only if the disk fails. */
async function readContentState(state: WantedState, fs: Pick<WriteFs, 'lstat'>): Promise<ContentState> {
  switch (state.kind) {
    case 'absent':
      return state;
    case 'notKept':
      return missing({ tooLarge: tooLargeText(state), notAFile: NO_FILE, unreadable: NOT_READ }[state.why]);
    case 'file':
      return state.contentPath === null ? missing(MISSING) : readCopyState(state.contentPath, fs);
  }
}

async function readCopyState(path: string, fs: Pick<WriteFs, 'lstat'>): Promise<ContentState> {
  try {
    const stat = await lstatOrNull(path, fs);
    return stat?.isFile() === true ? { kind: 'file', path, stat } : missing(MISSING);
  } catch (error) {
    const code = commonErrorCode(error);
    return missing(code === 'ENOTDIR' ? MISSING : `The copy of it cannot be read (${code}).`);
  }
}

function missing(why: string): ContentState {
  return { kind: 'missing', obstacle: obstacle('missingBackup', why) };
}

function tooLargeText({ size, maxBytes }: { readonly size?: number; readonly maxBytes?: number }): string {
  if (size === undefined || maxBytes === undefined) return TOO_LARGE;
  // A limit in whole megabytes, and a size that is never rounded down to it.
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`;
  return `It was too large to keep a copy: it had ${megabytes(size)}, and the limit was ${megabytes(maxBytes)} (rethread.checkpoints.maxFileSizeMB).`;
}

const MISSING = 'The copy of it is missing.';
const TOO_LARGE = 'It was too large to keep a copy.';
const NO_FILE = 'It was no regular file, so there is no copy.';
const NOT_READ = 'It could not be read, so there is no copy.';

/** Why a file is left unchanged. */
interface Obstacle {
  readonly kind: CoverageKind;
  /** One sentence for people. */
  readonly why: string;
  /** If this or `isSensitive` is set, the person may override it. */
  readonly isOutside: boolean;
  readonly isSensitive: boolean;
}

/** What prevents a change of a regular or missing file; null if nothing does. */
async function findObstacle(
  change: FileChange,
  wanted: WantedFile,
  allowed: AllowedFolders,
  fs: Pick<WriteFs, 'lstat' | 'realpath' | 'accessToWrite'>,
): Promise<Obstacle | null> {
  const { before, path, realFolder } = change;
  if (isRecord(path, realFolder, allowed)) return obstacle('outside', OWN_RECORD);
  if (before.kind === 'file' && before.stat.nlink > 1n) {
    return obstacle('hardLink', 'It is a hard link: the file has other names, too.');
  }
  if (wanted.realFolder !== null && wanted.realFolder !== realFolder) {
    return obstacle('symlink', `Its folder was ${wanted.realFolder} and is ${realFolder} now.`);
  }
  if (wanted.realFolder === null && (await leadsOverLink(path, realFolder, allowed.roots, fs))) {
    return obstacle(
      'symlink',
      `A symbolic link leads to its folder, ${realFolder}; nothing tells whether it did then.`,
    );
  }
  if (!(await isWritable(change, fs))) {
    return obstacle('readOnly', 'It, or its folder, cannot be written.');
  }
  const place = placeProblem(path, realFolder, allowed);
  return place === null ? null : { kind: place.isSensitive ? 'sensitive' : 'outside', ...place };
}

function obstacle(kind: CoverageKind, why: string): Obstacle {
  return { kind, why, isOutside: false, isSensitive: false };
}

async function isWritable(change: FileChange, fs: Pick<WriteFs, 'lstat' | 'accessToWrite'>): Promise<boolean> {
  const { before, after, path, realFolder } = change;
  if (before.kind === 'file' && after.kind === 'file' && !(await mayWrite(path, fs))) return false;
  return mayWrite(await nearestFolder(realFolder, fs), fs);
}

async function mayWrite(path: string, fs: Pick<WriteFs, 'accessToWrite'>): Promise<boolean> {
  try {
    await fs.accessToWrite(path);
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ETXTBSY'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

/** The folder itself, or its nearest existing ancestor. */
async function nearestFolder(folder: string, fs: Pick<WriteFs, 'lstat'>): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    if (dirname(at) === at || (await lstatOrNull(at, fs)) !== null) return at;
  }
}

/**
 * Whether one of the file's parents below its root is a symbolic link. The root itself may be reached by a link, as
 * projects often are. If no parent is a root, whether `realFolder` is within a root all the same. Rejects with the file
 * system's error.
 *
 * @param realFolder the folder of `path` without symbolic links
 * @param roots real paths of the folders that may be changed
 */
async function leadsOverLink(
  path: string,
  realFolder: string,
  roots: readonly string[],
  fs: Pick<WriteFs, 'lstat' | 'realpath'>,
): Promise<boolean> {
  const folders = foldersAbove(path);
  for (const [at, folder] of folders.entries()) {
    if (!roots.includes(await realPathOf(folder, fs))) continue;
    for (const below of folders.slice(at + 1)) {
      if ((await lstatOrNull(below, fs))?.isSymbolicLink() === true) return true;
    }
    return false;
  }
  return roots.some((root) => isWithin(realFolder, root));
}

/** Outermost first. */
function foldersAbove(path: string): readonly string[] {
  const folders = [dirname(path)];
  for (let at = dirname(path); dirname(at) !== at; at = dirname(at)) folders.unshift(dirname(at));
  return folders;
}
