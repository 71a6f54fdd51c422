import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFile } from 'atomically';
import type { ProgramFile } from '../../../protocol/channels/history';

const PRIVATE_FOLDER_MODE = 0o700;
const PRIVATE_MODE = 0o600;
const PROGRAM_MODE = 0o700;

/**
 * Writes Rethread's own files, in the given order. Each is replaced completely or not at all, because a hook may be
 * running the previous one. Rejects with the file system's error.
 */
export async function installProgram(files: readonly ProgramFile[]): Promise<void> {
  for (const { path, text, isExecutable } of files) {
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER_MODE });
    await writeFile(path, text, { mode: isExecutable ? PROGRAM_MODE : PRIVATE_MODE });
  }
}
