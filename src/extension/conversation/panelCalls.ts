import * as v from 'valibot';
import type { PanelHostApi } from '../../protocol/api/conversation';
import { guardCall, type PageCall } from '../webviews/guardCall';
import { ACTION, BLOCK_PATH, COUNT, FIND_QUERY, FROM, LINE, NAVIGATION, PAGE_TIMES, PATH, VIEW } from './panelSchemas';

/**
 * The calls that a webview may make, by name. What it sends was perhaps sent by what a transcript holds, so that each
 * call is refused unless all of its arguments are what the types say.
 */
export function createPanelCalls(host: PanelHostApi): ReadonlyMap<string, PageCall> {
  const calls: Readonly<Record<keyof PanelHostApi, PageCall>> = {
    ready: guardCall(v.tuple([]), () => host.ready()),
    head: guardCall(v.tuple([VIEW]), (view) => host.head(view)),
    items: guardCall(v.tuple([PATH, VIEW, FROM, COUNT]), (filePath, view, from, count) =>
      host.items(filePath, view, from, count),
    ),
    outline: guardCall(v.tuple([VIEW]), (view) => host.outline(view)),
    text: guardCall(v.tuple([PATH, LINE, BLOCK_PATH]), (filePath, line, path) => host.text(filePath, line, path)),
    image: guardCall(v.tuple([PATH, LINE, BLOCK_PATH]), (filePath, line, path) => host.image(filePath, line, path)),
    persisted: guardCall(v.tuple([PATH]), (outputPath) => host.persisted(outputPath)),
    find: guardCall(v.tuple([VIEW, FIND_QUERY]), (view, query) => host.find(view, query)),
    indexOfLine: guardCall(v.tuple([VIEW, LINE]), (view, line) => host.indexOfLine(view, line)),
    navigated: guardCall(v.tuple([NAVIGATION]), (navigation) => {
      host.navigated(navigation);
    }),
    shown: guardCall(v.tuple([PAGE_TIMES]), (times) => {
      host.shown(times);
    }),
    act: guardCall(v.tuple([ACTION]), (action) => host.act(action)),
    tryAgain: guardCall(v.tuple([]), () => host.tryAgain()),
  };
  return new Map(Object.entries(calls));
}
