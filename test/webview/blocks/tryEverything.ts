/** The problems of the shown rows; all empty if there are none. */
export interface Seen {
  readonly trapped: number;
  readonly violations: readonly string[];
  readonly errors: readonly string[];
  /** Elements and attributes that no block contains. */
  readonly elements: readonly string[];
  /** Forbidden requests to the extension. */
  readonly actions: readonly string[];
  /** Pixels by which the page is wider than its window. */
  readonly sideways: number;
  /** Rows that extend beyond their place, or over the next row. */
  readonly moved: readonly string[];
  /** Something covers the row behind it. */
  readonly covered: boolean;
}

const ROUNDS = 3;
/** Maximum time in milliseconds for an answer of the extension and its effects. */
const SETTLED_MS = 30;
const MAX_PRESSED = 60;

/** Runs in the page: presses every control, expands everything, then checks the result. */
export async function tryEverything(): Promise<Seen> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await settled();
    const pressable = [...document.querySelectorAll<HTMLElement>('#root button, #root a, #root [tabindex]')];
    pressable.slice(0, MAX_PRESSED).forEach(press);
  }
  await settled();
  return look();
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
}

function press(element: HTMLElement): void {
  if (element.getAttribute('aria-expanded') === 'true' || element.textContent.startsWith('Show less')) return;
  element.focus();
  for (const type of ['pointerover', 'mouseover', 'mouseenter', 'mousedown', 'auxclick']) {
    element.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, button: 1 }));
  }
  element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  element.click();
}

function look(): Seen {
  const { blocksPage } = window;
  const root = document.getElementById('root')!;
  const elements = new Set<string>();
  const known =
    /^(a|bdi|blockquote|br|button|code|dd|del|div|dl|dt|em|h[2-6]|hr|img|kbd|li|main|ol|p|path|pre|span|strong|sub|sup|svg|table|tbody|td|th|thead|tr|ul)$/;
  for (const element of root.querySelectorAll('*')) {
    if (!known.test(element.localName)) elements.add(element.localName);
    for (const { name, value } of element.attributes) {
      if (/^on|^(style|srcset|srcdoc|action|formaction|href|xlink:href|name|target|ping|nonce|id)$/.test(name)) {
        elements.add(`${element.localName}[${name}]`);
      }
      if (name === 'src' && !/^data:image\/(png|jpeg|gif|webp);base64,/.test(value))
        elements.add(`src=${value.slice(0, 40)}`);
    }
  }
  const actions = blocksPage.actions.flatMap((action) => {
    // The extension opens nothing on other machines either.
    if (action.kind === 'openFile') return /^([\\/]{2}|file:)/i.test(action.path) ? [action.path.slice(0, 80)] : [];
    if (action.kind !== 'openLink') return [];
    return /^(https?:\/\/|mailto:)/i.test(action.href) ? [] : [action.href.slice(0, 80)];
  });
  const rows = [...root.querySelectorAll('.row')];
  const moved: string[] = [];
  rows.forEach((row, at) => {
    const box = row.getBoundingClientRect();
    const next = rows[at + 1]?.getBoundingClientRect();
    if (box.left < 0 || box.right > document.documentElement.clientWidth)
      moved.push(`row ${at} is ${box.width} px wide`);
    if (next !== undefined && next.top < box.bottom) moved.push(`row ${at} reaches into the next`);
    if (box.height === 0) moved.push(`row ${at} is not there`);
  });
  const last = rows.at(-1)!;
  last.scrollIntoView({ block: 'center' });
  const place = last.querySelector('bdi')!.getBoundingClientRect();
  const top = document.elementFromPoint(place.left + place.width / 2, place.top + place.height / 2);
  const seen = {
    trapped: blocksPage.trapped,
    violations: [...blocksPage.violations],
    errors: [...blocksPage.errors],
    elements: [...elements],
    actions,
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    moved,
    covered: top === null || !last.contains(top),
  };
  blocksPage.actions.length = blocksPage.violations.length = blocksPage.errors.length = blocksPage.trapped = 0;
  return seen;
}
