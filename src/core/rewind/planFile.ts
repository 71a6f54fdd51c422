import type { CoverageNote, PlannedFile, RewindAction } from '../../shared/rewind';
import { sha256Of } from '../write/files/sha256Of';
import type { FileAfter, FileChange } from '../write/files/fileChange';
import { errorCode } from '../write/refusal';
import type { FileStat, WriteFs } from '../write/writeFs';
import type { AllowedFolders } from './allowedFolders';
import { countLines, type LineCounts } from './countLines';
import { haveSameBytes, MAX_TEXT_BYTES, readFileText } from './fileText';
import { lookAtFile, lstatOrNull, type FileLook } from './lookAtFile';
import { findObstacle, obstacle, type Obstacle } from './obstacles';
import type { WantedFile, WantedState } from './wantedFiles';

/** What a rewind does with one file. */
export interface FilePlan {
  readonly planned: PlannedFile;
  /** Null when there is nothing to do, or nothing can be done. */
  readonly change: FileChange | null;
  readonly notes: readonly CoverageNote[];
  /** Its bytes change, not only its permissions. */
  readonly changesContent: boolean;
  /** The client's dry run counts it as changed: it has other lines, or goes. A new empty file is none. */
  readonly isCounted: boolean;
  /** The copy was written after its time in the transcript: it may be another one. */
  readonly isLateCopy: boolean;
  /** Names what was looked at. */
  readonly seen: string;
}

/** Copies are written within this of the time that their rows tell. */
const COPY_MS = 2_000;
const PERMISSIONS = 0o7777n;

type ReadFs = Pick<WriteFs, 'open' | 'lstat' | 'realpath' | 'accessToWrite'>;

/** Looks at the file and at what it is to be; changes nothing. Rejects only for faults of the disk. */
export async function planFile(wanted: WantedFile, allowed: AllowedFolders, fs: ReadFs): Promise<FilePlan> {
  const look = await lookAtFile(wanted.path, fs);
  const content = await lookAtContent(wanted.state, fs);
  const draft = new Draft(wanted, look, content);
  if (look.kind === 'blocked' && wanted.state.kind === 'absent') return draft.unchanged();
  if (look.kind !== 'file' && look.kind !== 'absent') return draft.skipped(standsInTheWay(look));
  if (content.kind === 'missing') return draft.skipped(content.obstacle);
  const before = look.kind === 'file' ? ({ kind: 'file', stat: look.stat } as const) : ({ kind: 'absent' } as const);
  try {
    if (content.kind === 'absent') {
      if (look.kind === 'absent') return draft.unchanged();
    } else if (look.kind === 'file') {
      const isSame = look.stat.size === content.stat.size;
      const hasSameBytes = isSame && (await haveSameBytes(wanted.path, content.path, Number(content.stat.size), fs));
      if (hasSameBytes && draft.modeChange === null) return draft.unchanged();
      draft.changesContent = !hasSameBytes;
    }
    const after = await afterOf(wanted.state, content, fs);
    if (after === null)
      return draft.skipped(obstacle('alteredBackup', 'Its copy is not what it was when it was made.'));
    draft.change = { path: wanted.path, realFolder: look.realFolder, before, after };
    const found = await findObstacle(draft.change, wanted, allowed, fs);
    if (found !== null && !found.isWaivable) return draft.skipped(found);
    await draft.count(fs);
    return draft.changed(found);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    return draft.skipped(obstacle('readOnly', `It cannot be read (${code}).`));
  }
}

type ContentLook =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly path: string; readonly stat: FileStat }
  | { readonly kind: 'missing'; readonly obstacle: Obstacle };

async function lookAtContent(state: WantedState, fs: ReadFs): Promise<ContentLook> {
  switch (state.kind) {
    case 'absent':
      return state;
    case 'notKept':
      return {
        kind: 'missing',
        obstacle: obstacle(
          'missingBackup',
          { tooLarge: TOO_LARGE, notAFile: NO_FILE, unreadable: NOT_READ }[state.why],
        ),
      };
    case 'file': {
      const stat = state.contentPath === null ? null : await lstatOrNull(state.contentPath, fs);
      if (state.contentPath === null || stat?.isFile() !== true) {
        return { kind: 'missing', obstacle: obstacle('missingBackup', 'The copy of it is missing.') };
      }
      return { kind: 'file', path: state.contentPath, stat };
    }
  }
}

const TOO_LARGE = 'It was too large to keep a copy.';
const NO_FILE = 'It was no regular file, so there is no copy.';
const NOT_READ = 'It could not be read, so there is no copy.';

function standsInTheWay(look: FileLook): Obstacle {
  switch (look.kind) {
    case 'symlink':
      return obstacle('symlink', 'It is a symbolic link, which is not followed.');
    case 'unreadable':
      return obstacle('readOnly', `Its folder cannot be read (${look.code}).`);
    case 'other':
      return obstacle('notAFile', look.isFolder ? 'A folder stands in its place.' : 'It is no regular file.');
    default:
      return obstacle('notAFile', 'Its folder cannot be reached: a file or a broken link is in the way.');
  }
}

/** Null when the copy is not the one that was made. */
async function afterOf(state: WantedState, content: ContentLook, fs: ReadFs): Promise<FileAfter | null> {
  if (content.kind !== 'file' || state.kind !== 'file') return { kind: 'absent' };
  if (state.sha256 !== null && (await sha256Of(content.path, fs)) !== state.sha256) return null;
  const { path: contentPath, stat } = content;
  const mode = state.mode ?? permissions(stat);
  return { kind: 'file', contentPath, size: Number(stat.size), sha256: state.sha256, mode, times: null, owner: null };
}

function permissions(stat: FileStat): number {
  return Number(stat.mode & PERMISSIONS);
}

/** Gathers what is said of one file. */
class Draft {
  change: FileChange | null = null;
  changesContent = true;
  #counts: LineCounts = { insertions: 0, deletions: 0 };
  #isBinary = false;
  readonly #notes: CoverageNote[] = [];

  constructor(
    private readonly wanted: WantedFile,
    private readonly look: FileLook,
    private readonly content: ContentLook,
  ) {}

  get modeChange(): PlannedFile['modeChange'] {
    const { look, content, wanted } = this;
    if (look.kind !== 'file' || content.kind !== 'file' || wanted.state.kind !== 'file') return null;
    const [from, to] = [permissions(look.stat), wanted.state.mode ?? permissions(content.stat)];
    return from === to ? null : { from, to };
  }

  get #hasOtherLines(): boolean {
    return this.#counts.insertions + this.#counts.deletions > 0;
  }

  async count(fs: ReadFs): Promise<void> {
    if (!this.changesContent) return;
    const { look, content, wanted } = this;
    const before = look.kind === 'file' ? await readFileText(wanted.path, fs) : NOTHING;
    const after = content.kind === 'file' ? await readFileText(content.path, fs) : NOTHING;
    if (before.kind === 'text' && after.kind === 'text') this.#counts = countLines(before.text, after.text);
    else this.#isBinary = true;
    if (before.kind === 'tooLarge' || after.kind === 'tooLarge') {
      this.#note('other', `is larger than ${MAX_TEXT_BYTES / 1024 / 1024} MB: its lines were not counted.`);
    }
  }

  unchanged(): FilePlan {
    return this.#plan('unchanged', null);
  }

  skipped(found: Obstacle): FilePlan {
    this.change = null;
    this.#note(found.kind, `is left as it is. ${found.why}`);
    return this.#plan('skipped', found);
  }

  /** `found`: what the person may waive. */
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
    const { look, content, wanted, change } = this;
    const isFile = content.kind === 'file';
    const { keptMs } = wanted;
    return {
      planned: {
        path: wanted.path,
        action,
        ...(found === null ? {} : { why: found.why }),
        ...this.#counts,
        isBinary: this.#isBinary,
        size: isFile ? Number(content.stat.size) : 0,
        contentPath: isFile ? content.path : null,
        exists: look.kind === 'file' || look.kind === 'symlink' || look.kind === 'other',
        modeChange: this.modeChange,
        isOutside: found?.isWaivable === true,
      },
      change,
      notes: this.#notes,
      changesContent: change !== null && this.changesContent,
      isCounted: change !== null && (change.after.kind === 'absent' || this.#isBinary || this.#hasOtherLines),
      isLateCopy: change !== null && isFile && keptMs !== null && Number(content.stat.mtimeMs) > keptMs + COPY_MS,
      seen: [wanted.path, action, seenFile(look), isFile ? statText(content.stat) : content.kind].join('\n'),
    };
  }
}

const NOTHING = { kind: 'text', text: '' } as const;

export function changeAction(change: FileChange | null): RewindAction {
  if (change === null) return 'unchanged';
  if (change.after.kind === 'absent') return 'delete';
  return change.before.kind === 'absent' ? 'create' : 'restore';
}

function seenFile(look: FileLook): string {
  return look.kind === 'file' ? statText(look.stat) : look.kind;
}

function statText({ dev, ino, size, mtimeNs, mode, nlink }: FileStat): string {
  return [dev, ino, size, mtimeNs, mode, nlink].join(' ');
}
