import { dirname } from 'node:path';
import { errorCode } from '../refusal';
import type { WriteFs } from '../writeFs';

/** The content comes from people's files, which other users may not be able to read either. */
const PRIVATE_FOLDER_MODE = 0o700;

/** Creates a folder of the extension and its missing parents. Rejects with Node's error. */
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
