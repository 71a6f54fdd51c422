import type { BlockHost } from '../blockHost';

/**
 * What is unfolded under `key`, and how to say otherwise. `hidden` is what folding hides: where the find bar finds
 * something in it, it is not folded unless the person did so.
 */
export function useExpanded(
  host: BlockHost,
  line: number,
  key: string,
  byDefault: boolean,
  hidden = '',
): readonly [isExpanded: boolean, toggle: () => void] {
  const said = host.expanded.get(line, key);
  const isExpanded = said ?? (byDefault || hasHit(host, hidden));
  return [
    isExpanded,
    () => {
      host.expanded.set(line, key, !isExpanded);
    },
  ];
}

function hasHit(host: BlockHost, hidden: string): boolean {
  return host.highlight !== null && hidden !== '' && host.highlight(hidden).length > 0;
}
