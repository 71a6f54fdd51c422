import * as v from 'valibot';
import type { PanelHostApi } from '../../shared/api/conversation';
import { ACTION, BLOCK_PATH, COUNT, FIND_QUERY, FROM, LINE, NAVIGATION, PAGE_TIMES, PATH, VIEW } from './panelSchemas';

export type PanelCall = (...args: unknown[]) => unknown;

/**
 * The calls that a webview may make, by name. What it sends was perhaps sent by what a transcript holds, so that each
 * call is refused unless all of its arguments are what the types say.
 */
export function createPanelCalls(host: PanelHostApi): ReadonlyMap<string, PanelCall> {
  const calls: Readonly<Record<keyof PanelHostApi, PanelCall>> = {
    ready: guard(v.tuple([]), () => host.ready()),
    head: guard(v.tuple([VIEW]), (view) => host.head(view)),
    items: guard(v.tuple([PATH, VIEW, FROM, COUNT]), (filePath, view, from, count) =>
      host.items(filePath, view, from, count),
    ),
    outline: guard(v.tuple([VIEW]), (view) => host.outline(view)),
    text: guard(v.tuple([PATH, LINE, BLOCK_PATH]), (filePath, line, path) => host.text(filePath, line, path)),
    image: guard(v.tuple([PATH, LINE, BLOCK_PATH]), (filePath, line, path) => host.image(filePath, line, path)),
    persisted: guard(v.tuple([PATH]), (outputPath) => host.persisted(outputPath)),
    find: guard(v.tuple([VIEW, FIND_QUERY]), (view, query) => host.find(view, query)),
    indexOfLine: guard(v.tuple([VIEW, LINE]), (view, line) => host.indexOfLine(view, line)),
    navigated: guard(v.tuple([NAVIGATION]), (navigation) => {
      host.navigated(navigation);
    }),
    shown: guard(v.tuple([PAGE_TIMES]), (times) => {
      host.shown(times);
    }),
    act: guard(v.tuple([ACTION]), (action) => host.act(action)),
    tryAgain: guard(v.tuple([]), () => host.tryAgain()),
  };
  return new Map(Object.entries(calls));
}

function guard<A extends readonly unknown[]>(
  schema: v.GenericSchema<unknown, A>,
  call: (...args: A) => unknown,
): PanelCall {
  return (...args) => {
    const checked = v.safeParse(schema, args);
    // The issue's own text would repeat what came in.
    if (!checked.success)
      throw new Error(`Refused: ${v.getDotPath(checked.issues[0]) ?? 'the arguments'} is not valid`);
    return call(...checked.output);
  };
}
