/**
 * Arrow keys, Home and End among the elements that match `selector` within `root`, round at the ends.
 * @returns whether the key was one of them
 */
export function moveFocus(
  event: KeyboardEvent,
  root: HTMLElement,
  selector: string,
  direction: 'vertical' | 'horizontal',
): boolean {
  const [back, forth] = direction === 'vertical' ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight'];
  const elements = [...root.querySelectorAll<HTMLElement>(selector)];
  const at = elements.findIndex((element) => element === document.activeElement);
  const next = {
    [back]: at <= 0 ? elements.length - 1 : at - 1,
    [forth]: (at + 1) % Math.max(1, elements.length),
    Home: 0,
    End: elements.length - 1,
  }[event.key];
  if (next === undefined) return false;
  elements[next]?.focus();
  return true;
}
