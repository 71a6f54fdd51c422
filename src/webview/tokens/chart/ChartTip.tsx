import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { placeBeside } from '../../ui/placeBeside';

/** Beside a bar, in the browser's top layer. What it says, the chart says to screen readers as its value. */
export function ChartTip({ anchor, children }: { anchor: Element; children: ComponentChildren }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    if (!element.matches(':popover-open')) element.showPopover();
    placeBeside(element, anchor);
  });
  return (
    <div ref={box} class="tip" popover="manual" aria-hidden="true">
      {children}
    </div>
  );
}
