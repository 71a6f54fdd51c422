import type { BlockHost, TextMatcher } from '../blockHost';

/**
 * What is unfolded under `key`, and how to say otherwise. What folding hides is unfolded while the find bar stands at a
 * hit in it, whatever was said before; then it is as it was.
 */
export function useExpanded(
  host: BlockHost,
  line: number,
  key: string,
  byDefault: boolean,
  hides: (find: TextMatcher) => boolean = () => false,
): readonly [isExpanded: boolean, toggle: () => void] {
  const find = host.found(line);
  const isExpanded =
    find !== null && hides(find)
      ? (host.expanded.getSinceFound(line, key) ?? true)
      : (host.expanded.get(line, key) ?? byDefault);
  return [
    isExpanded,
    () => {
      host.expanded.set(line, key, !isExpanded);
    },
  ];
}
