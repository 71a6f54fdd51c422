import { dirname } from 'node:path';
import { errorCode } from '../refusal';
import type { WriteFs } from '../writeFs';

/** What is kept is from people's files, which nobody else may read there either. */
const PRIVATE_FOLDER_MODE = 0o700;

/** Makes a folder of ours, and those above it that are missing. Rejects with Node's error. */
export async function makePrivateFolder(path: string, fs: Pick<WriteFs, 'mkdir'>): Promise<void> {
  try {
    await fs.mkdir(path, PRIVATE_FOLDER_MODE);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makePrivateFolder(dirname(path), fs);
    await makePrivateFolder(path, fs);
  }
}
