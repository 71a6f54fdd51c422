import { readMessages } from '../../../src/core/history/sessionStore/sessionStore';
import { nodeWriteFs } from '../../../src/core/storage/writeFs';
import type { Job } from './job';

/** All messages of a session in our own store. */
export const oursStored: Job = async (next) => {
  let messages = 0;
  for (let path = next(); path !== null; path = next())
    messages += (await readMessages(path, nodeWriteFs)).messages.length;
  return { messages };
};
