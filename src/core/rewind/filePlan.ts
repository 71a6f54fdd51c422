import type { CoverageNote, PlannedFile, RewindAction } from '../../shared/rewind';
import type { FileChange } from '../write/files/fileChange';
import { permissionsOf } from '../write/files/fileState';
import type { FileStat, WriteFs } from '../write/writeFs';
import { countLines, type LineCounts } from './countLines';
import { MAX_TEXT_BYTES, readFileText } from './fileText';
import type { ContentLook } from './lookAtContent';
import type { FileLook } from './lookAtFile';
import type { Obstacle } from './obstacles';
import type { WantedFile } from './wantedFiles';

/** What a rewind does with one file. */
export interface FilePlan {
  readonly planned: PlannedFile;
  readonly wanted: WantedFile;
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

/** Gathers what is said of one file. */
export class FilePlanDraft {
  change: FileChange | null = null;
  changesContent = true;
  #counts: LineCounts = { insertions: 0, deletions: 0 };
  #isBinary = false;
  #isTooLarge = false;
  readonly #notes: CoverageNote[] = [];

  constructor(
    private readonly wanted: WantedFile,
    private readonly look: FileLook,
    private readonly content: ContentLook,
  ) {}

  get modeChange(): PlannedFile['modeChange'] {
    const { look, content, wanted } = this;
    if (look.kind !== 'file' || content.kind !== 'file' || wanted.state.kind !== 'file') return null;
    const [from, to] = [permissionsOf(look.stat), wanted.state.mode ?? permissionsOf(content.stat)];
    return from === to ? null : { from, to };
  }

  get #hasOtherLines(): boolean {
    return this.#counts.insertions + this.#counts.deletions > 0;
  }

  async count(fs: Pick<WriteFs, 'open'>): Promise<void> {
    if (!this.changesContent) return;
    const { look, content, wanted } = this;
    const before = look.kind === 'file' ? await readFileText(wanted.path, fs) : NOTHING;
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
    // What tells its hash is not doubted for its time.
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
        exists: look.kind === 'file' || look.kind === 'symlink' || look.kind === 'other',
        modeChange: this.modeChange,
        isOutside: found?.isWaivable === true,
      },
      wanted,
      change,
      notes: this.#notes,
      changesContent: change !== null && this.changesContent,
      isCounted:
        change !== null &&
        (change.after.kind === 'absent' || this.#isBinary || this.#isTooLarge || this.#hasOtherLines),
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
