const GAP_PX = 4;
const MARGIN_PX = 8;

/** Puts a box of the top layer under its anchor, or above it where there is more room, within the window. */
export function placeBeside(box: HTMLElement, anchor: Element): void {
  const from = anchor.getBoundingClientRect();
  const { innerWidth, innerHeight } = window;
  const below = innerHeight - from.bottom - GAP_PX - MARGIN_PX;
  const above = from.top - GAP_PX - MARGIN_PX;
  box.style.maxHeight = `${Math.max(below, above)}px`;
  const { width, height } = box.getBoundingClientRect();
  const isBelow = height <= below || below >= above;
  box.style.top = `${isBelow ? from.bottom + GAP_PX : from.top - GAP_PX - height}px`;
  const right = Math.min(from.left + width, innerWidth - MARGIN_PX);
  box.style.left = `${Math.max(MARGIN_PX, right - width)}px`;
}
