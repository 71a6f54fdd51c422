import { MAX_KEPT_BYTES } from '../../storage/store/keepContent';

/** The option of the hook's command that says of which files no copy is kept, because they are larger. */
export const MAX_FILE_SIZE_OPTION = '--max-file-size-mb';

const DEFAULT_MAX_FILE_SIZE_MB = 100;
const BYTES_PER_MB = 1_000_000;

/** The limit in a hook's command line. */
export interface MaxFileSize {
  readonly bytes: number;
  /** The command line says something that is no limit. The default then holds, because a hook cannot complain. */
  readonly isInvalid: boolean;
}

/** Reads the limit. Only a whole number of megabytes from 1 on is one; more than the store can take is cut to that. */
export function readMaxFileSize(args: readonly string[]): MaxFileSize {
  const usual = DEFAULT_MAX_FILE_SIZE_MB * BYTES_PER_MB;
  const at = args.indexOf(MAX_FILE_SIZE_OPTION);
  if (at < 0) {
    const isMisspelt = args.some((arg) => arg.startsWith(MAX_FILE_SIZE_OPTION));
    return { bytes: usual, isInvalid: isMisspelt };
  }
  const value = args[at + 1] ?? '';
  const isOnly = args.lastIndexOf(MAX_FILE_SIZE_OPTION) === at;
  if (!isOnly || !/^[1-9]\d{0,8}$/u.test(value)) return { bytes: usual, isInvalid: true };
  return { bytes: Math.min(Number(value) * BYTES_PER_MB, MAX_KEPT_BYTES), isInvalid: false };
}
