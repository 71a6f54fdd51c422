import type { FileStat, WriteFs } from '../write/writeFs';
import { lstatOrNull } from './lookAtFile';
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
