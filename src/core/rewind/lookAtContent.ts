import type { FileStat, WriteFs } from '../write/writeFs';
import { codeOfOne, lstatOrNull } from './lookAtFile';
import { obstacle, type Obstacle } from './obstacles';
import type { WantedState } from './wantedFiles';

/** What is there of the state that a file is to have. */
export type ContentLook =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly path: string; readonly stat: FileStat }
  | { readonly kind: 'missing'; readonly obstacle: Obstacle };

/** Rejects only for faults of the disk. */
export async function lookAtContent(state: WantedState, fs: Pick<WriteFs, 'lstat'>): Promise<ContentLook> {
  switch (state.kind) {
    case 'absent':
      return state;
    case 'notKept':
      return missing({ tooLarge: TOO_LARGE, notAFile: NO_FILE, unreadable: NOT_READ }[state.why]);
    case 'file':
      return state.contentPath === null ? missing(MISSING) : lookAtCopy(state.contentPath, fs);
  }
}

async function lookAtCopy(path: string, fs: Pick<WriteFs, 'lstat'>): Promise<ContentLook> {
  try {
    const stat = await lstatOrNull(path, fs);
    return stat?.isFile() === true ? { kind: 'file', path, stat } : missing(MISSING);
  } catch (error) {
    const code = codeOfOne(error);
    return missing(code === 'ENOTDIR' ? MISSING : `The copy of it cannot be read (${code}).`);
  }
}

function missing(why: string): ContentLook {
  return { kind: 'missing', obstacle: obstacle('missingBackup', why) };
}

const MISSING = 'The copy of it is missing.';
const TOO_LARGE = 'It was too large to keep a copy.';
const NO_FILE = 'It was no regular file, so there is no copy.';
const NOT_READ = 'It could not be read, so there is no copy.';
