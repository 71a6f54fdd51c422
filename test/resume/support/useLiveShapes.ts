import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findClient } from '../../support/findClient';
import { startMockApi, type MockApi } from '../../support/mockApi';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { temporaryFolder } from '../../support/temporaryFolder';
import { liveReplier, LiveModel } from './liveModel';
import { LiveSession } from './liveSession';
import { LIVE_SHAPES } from './liveShapes/allShapes';

/** The sessions of a shape. */
interface Driven {
  /** Their transcripts, oldest first. */
  readonly transcripts: readonly string[];
  /** Texts that the shape must show, and that no transcript contains. */
  readonly lacks: readonly string[];
}

/**
 * For a suite that lets the real client write the shapes; each of them is written once. If the client cannot be downloaded,
 * the suite reports that and is skipped.
 */
export function useLiveShapes(): (name: string) => Promise<Driven> {
  const models = new Map<string, LiveModel>();
  const driven = new Map<string, Promise<Driven>>();
  let folder: { readonly path: string; readonly remove: () => void } | null = null;
  let client = '';
  let api: MockApi | null = null;

  before(async function () {
    this.timeout(0);
    client = await skipWhenUnavailable(this, findClient);
    api = await startMockApi(liveReplier(models));
    folder = await temporaryFolder();
  });

  after(async () => {
    await Promise.allSettled(driven.values());
    await api?.close();
    folder?.remove();
  });

  const drive = async (name: string): Promise<Driven> => {
    const shape = LIVE_SHAPES[name];
    if (shape === undefined || api === null || folder === null) throw new RangeError(`No shape ${name}`);
    const numbered = numberTexts();
    const model = new LiveModel(numbered);
    const tag = `live-${models.size}`;
    models.set(tag, model);
    const live = new LiveSession(client, join(folder.path, tag), api.urlFor(tag), model, numbered);
    await live.prepare();
    try {
      await shape.drive(live);
    } finally {
      await live.close();
    }
    const transcripts = await live.transcripts();
    const texts = await Promise.all(transcripts.map((path) => readFile(path, 'utf8')));
    return { transcripts, lacks: shape.shows.filter((shown) => !texts.some((text) => text.includes(shown))) };
  };

  return async (name) => {
    const running = driven.get(name) ?? drive(name);
    driven.set(name, running);
    return await running;
  };
}

function numberTexts(): (words: string) => string {
  let number = 0;
  return (words) => {
    number += 1;
    return `[${number}] ${words}`;
  };
}
