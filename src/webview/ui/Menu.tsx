import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './Icon';

export interface MenuItem {
  readonly label: string;
  /** A secondary line in a subdued style. */
  readonly detail?: string;
  readonly icon?: IconName;
  /** Shown with a check mark, for items of which one is chosen. */
  readonly isChosen?: boolean;
  /** A choice of its own, with a check mark if it is on. Choosing it leaves the menu open. */
  readonly isChecked?: boolean;
  /** The reason why it cannot be chosen, shown instead of `detail`. */
  readonly disabledBecause?: string;
  readonly onChoose: () => void;
}

export interface MenuProps {
  readonly label: string;
  readonly buttonClass: string;
  readonly button: ComponentChildren;
  readonly items: readonly MenuItem[];
}

/** A button that opens a menu. The menu is in the browser's top layer, so that no scrolling box clips it. */
export function Menu({ label, buttonClass, button, items }: MenuProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const buttonRef = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    buttonRef.current?.focus({ preventScroll: true });
  };
  return (
    <>
      <button
        ref={buttonRef}
        type="button"
        class={buttonClass}
        title={label}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        {button}
      </button>
      {isOpen && buttonRef.current !== null && (
        <OpenMenu
          anchor={buttonRef.current}
          label={label}
          items={items}
          onClose={close}
          onLeave={() => {
            setOpen(false);
          }}
        />
      )}
    </>
  );
}

interface OpenMenuProps {
  readonly anchor: HTMLElement;
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Closes the menu and returns the focus to the button. */
  readonly onClose: () => void;
  /** The focus moved elsewhere. */
  readonly onLeave: () => void;
}

function OpenMenu({ anchor, label, items, onClose, onLeave }: OpenMenuProps): JSX.Element {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null) return;
    element.showPopover();
    placeBeside(element, anchor);
    element.querySelector<HTMLElement>('[role^=menuitem]')?.focus({ preventScroll: true });
  }, [anchor]);
  const isChoice = items.some((item) => item.isChosen !== undefined);
  return (
    <div
      ref={menu}
      class="menu"
      role="menu"
      aria-label={label}
      popover="manual"
      onKeyDown={(event) => {
        // The list behind the menu handles the same keys.
        event.stopPropagation();
        if (event.key === 'Escape' || event.key === 'Tab') onClose();
        else if (!moveFocus(event, event.currentTarget, '[role^=menuitem]', 'vertical')) return;
        event.preventDefault();
      }}
      onFocusOut={(event) => {
        if (event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)) return;
        if (event.relatedTarget !== anchor) onLeave();
      }}
    >
      {items.map((item, at) => (
        <button
          key={at}
          type="button"
          class="menu-item"
          role={item.isChecked !== undefined ? 'menuitemcheckbox' : isChoice ? 'menuitemradio' : 'menuitem'}
          tabIndex={-1}
          aria-checked={item.isChecked ?? (isChoice ? item.isChosen === true : undefined)}
          aria-disabled={item.disabledBecause !== undefined}
          onClick={() => {
            if (item.disabledBecause !== undefined) return;
            if (item.isChecked === undefined) onClose();
            item.onChoose();
          }}
        >
          <span class="menu-icon">{menuIcon(item)}</span>
          <span class="menu-text">
            <span>{item.label}</span>
            <MenuDetail text={item.disabledBecause ?? item.detail} />
          </span>
        </button>
      ))}
    </div>
  );
}

function menuIcon(item: MenuItem): JSX.Element | null {
  if (item.isChosen === true || item.isChecked === true) return <Icon name="check" />;
  return item.icon === undefined ? null : <Icon name={item.icon} />;
}

function MenuDetail({ text }: { text: string | undefined }): JSX.Element | null {
  return text === undefined ? null : <span class="menu-detail">{text}</span>;
}

/**
 * Moves the focus by arrow keys, Home and End among the elements in `root` that match `selector`, wrapping at the ends.
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

const GAP_PX = 4;
const MARGIN_PX = 8;

/** Places a box of the top layer below its anchor, or above if there is more room, within the window. */
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
