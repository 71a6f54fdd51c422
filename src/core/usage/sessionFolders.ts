import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Which folders below a root are those of sessions: what is in them, beside subagents, is no transcript. */
export class SessionFolders {
  readonly #known = new Map<string, boolean>();

  constructor(private readonly root: string) {}

  /** The file lies in the folder of a session, and is not of a subagent. */
  async hasOther(filePath: string): Promise<boolean> {
    const parent = dirname(filePath);
    const isAgent = basename(parent) === 'subagents' && basename(filePath).startsWith('agent-');
    for (let folder = isAgent ? dirname(dirname(parent)) : parent; folder.length > this.root.length;) {
      if (await this.#isSessions(folder)) return true;
      folder = dirname(folder);
    }
    return false;
  }

  async #isSessions(folder: string): Promise<boolean> {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const isSessions = (await isThere(`${folder}.jsonl`)) || (await isThere(join(folder, 'subagents')));
    this.#known.set(folder, isSessions);
    return isSessions;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
