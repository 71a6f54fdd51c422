import { join } from 'node:path';
import { closeQuietly, type WriteFs } from './writeFs';
import { makePrivateFolder } from './store/privateFolder';
import { errorCode } from './refusal';

/**
 * The sessions whose repair a person undid, so that none is repaired again unless somebody asks for it. One empty file each, so that
 * two processes never overwrite each other's.
 */
export class DeclinedRepairs {
  readonly #folder: string | null;

  /** `configDir`: null for a transcript that is in none. Only people repair such a one, so nothing is remembered. */
  constructor(
    configDir: string | null,
    private readonly fs: WriteFs,
  ) {
    this.#folder = configDir === null ? null : join(configDir, 'rethread', 'declined-repairs');
  }

  /** True if that cannot be found out. */
  async has(sessionId: string): Promise<boolean> {
    if (this.#folder === null) return false;
    try {
      await this.fs.lstat(join(this.#folder, sessionId));
      return true;
    } catch (error) {
      return errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR';
    }
  }

  /** Rejects with Node's error. */
  async add(sessionId: string): Promise<void> {
    if (this.#folder === null) return;
    await makePrivateFolder(this.#folder, this.fs);
    try {
      await closeQuietly(await this.fs.open(join(this.#folder, sessionId), 'create'));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }

  /** Never rejects: a session that stays here is only not repaired by itself. */
  async remove(sessionId: string): Promise<void> {
    if (this.#folder !== null) await this.fs.unlink(join(this.#folder, sessionId)).catch(() => undefined);
  }
}
