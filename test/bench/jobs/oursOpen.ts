import { Conversation } from '../../../src/core/conversation/conversation';
import { createPacer } from '../../../src/core/util/scheduling';
import type { Job } from './job';
import { loadOurs } from './loadOurs';

/** Items that fill the largest window several times over: the panel's first request. */
const FIRST_ITEMS = 40;
const MAX_WORK_MS = 10;

/** The head of each conversation and its last items, as they cross to the panel. */
export const oursOpen: Job = async (next) => {
  const createScanner = loadOurs();
  let files = 0;
  let crossed = 0;
  let items = 0;
  for (let path = next(); path !== null; path = next()) {
    const conversation = new Conversation({
      filePath: path,
      createScanner,
      pacer: createPacer(MAX_WORK_MS),
      isLive: () => false,
    });
    await conversation.refresh();
    const head = await conversation.head({ kind: 'chain' });
    const from = Math.max(0, head.count - FIRST_ITEMS);
    const page = await conversation.items({ kind: 'chain' }, from, FIRST_ITEMS);
    const message = JSON.stringify([head, page]);
    crossed += Buffer.byteLength(message);
    items += page.items.length;
    JSON.parse(message);
    conversation.close();
    files++;
  }
  return { files, crossed, items };
};
