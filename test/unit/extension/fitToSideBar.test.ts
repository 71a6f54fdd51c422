import assert from 'node:assert/strict';
import { fitToSideBar } from '../../../src/extension/sessions/fitToSideBar';
import { NARROW_SIDE_BAR, SideBarWidth } from '../../../src/extension/sessions/sideBarWidth';

/** `description`: null if nothing follows the age. */
const narrow = (
  label: string,
  age: string | null,
  depth = 0,
  description: string | null = null,
  pixels = NARROW_SIDE_BAR,
): string => fitToSideBar({ label, age, description: description ?? age ?? '' }, depth, pixels).label;

describe('A title in a tree of 220 pixels', () => {
  it('stays whole if it leaves room for the age', () => {
    assert.equal(narrow('Mend the form', '26m'), 'Mend the form');
    assert.equal(narrow('', null), '');
  });

  it('ends with a whole word, without a comma or a dash after it', () => {
    assert.equal(narrow('Plan the next release of the station', '26m'), 'Plan the next…');
    assert.equal(narrow('Rain or hail, snow or sleet', '26m'), 'Rain or hail…');
  });

  it('ends within a word that is most of it', () => {
    assert.equal(narrow('Internationalisation of dates', '26m'), 'Internationali…');
    assert.equal(narrow('A counterrevolutionary idea', '26m'), 'A counterrev…');
  });

  it('is as long for an age of one digit as for one of two, so that it stays the same while the session gets older', () => {
    const title = 'Show the wind on a map as arrows';
    assert.equal(narrow(title, '9m'), narrow(title, '10m'));
  });

  it('does not mix with the age behind it if its script is written from right to left', () => {
    assert.equal(narrow('שלום', '26m'), '\u2068שלום\u2069');
    assert.match(narrow('Explain شرح الدالة بالعربية مع مثال كامل', '2h'), /^\u2068.*…\u2069$/u);
  });

  it('is shorter where the words for the age are longer, and never nothing', () => {
    const title = 'Show the wind on a map as arrows';
    const [short, long] = [narrow(title, '12h'), narrow(title, '12 Stunden')];
    assert.ok(long.length < short.length, `${long} / ${short}`);
    assert.ok(narrow(title, 'an age that is longer than the tree is wide').length > 4);
  });

  it('leaves out what follows the age where there is no room for it, and makes room for it in a wider side bar', () => {
    const broken = { label: 'Show the wind on a map as arrows', age: '26m', description: '26m · broken' };
    assert.deepEqual(fitToSideBar(broken, 0, NARROW_SIDE_BAR), {
      label: narrow(broken.label, '26m'),
      description: '26m',
    });
    assert.deepEqual(fitToSideBar(broken, 0, 300), { label: 'Show the wind…', description: '26m · broken' });
    assert.equal(fitToSideBar({ ...broken, label: 'Map' }, 0, NARROW_SIDE_BAR).description, '26m · broken');
  });

  it('leaves out of what follows the age what matters least, and its state last', () => {
    const broken = {
      ...{ label: 'tri late beginning + 2', age: '1h', description: '1h · broken · station' },
      shorter: ['1h · broken'],
    };
    assert.deepEqual(fitToSideBar(broken, 0, 294), { label: 'tri late beginnin…', description: '1h · broken' });
    assert.equal(fitToSideBar(broken, 0, 400).description, '1h · broken · station');
    assert.equal(fitToSideBar(broken, 0, NARROW_SIDE_BAR).description, '1h');
  });

  it('is longer in a wider side bar, and shorter in a narrower one', () => {
    const title = 'Show the wind on a map as arrows';
    const [narrower, wider] = [narrow(title, '26m', 0, null, 180), narrow(title, '26m', 0, null, 300)];
    assert.ok(narrower.length < narrow(title, '26m').length && wider.length > narrow(title, '26m').length);
    assert.equal(narrow(title, '26m', 0, null, 600), title);
  });

  it('is shorter below another session', () => {
    assert.equal(narrow('Mend the vane', '26m'), 'Mend the vane');
    assert.equal(narrow('Mend the vane', '26m', 2), 'Mend the…');
  });

  it('has fewer of the characters that are wider', () => {
    const length = (character: string): number => narrow(character.repeat(60), '26m').length;
    assert.ok(length('i') > length('a') && length('a') > length('W') && length('W') > 5);
    assert.equal(narrow('無線プロトコルの仕組みを詳しく', '26m'), '無線プロトコ…');
  });

  it('is never cut within a character as people count them', () => {
    const family = '👩‍👩‍👧‍👦';
    const label = narrow(family.repeat(20), '26m');
    assert.match(label, new RegExp(`^(?:${family}){2,}…$`, 'u'));
    const accents = narrow('e\u0301'.repeat(60), '26m');
    assert.match(accents, /^(?:e\u0301){8,}…$/u);
  });
});

describe('The width of the side bar', () => {
  const memory = (): {
    values: Map<string, unknown>;
    get: (key: string) => unknown;
    update: (key: string, value: unknown) => Promise<void>;
  } => {
    const values = new Map<string, unknown>();
    return {
      values,
      get: (key) => values.get(key),
      update: (key, value) => Promise.resolve(void values.set(key, value)),
    };
  };

  it('is narrow until a page tells it, and is known when the window is opened again', () => {
    const kept = memory();
    const width = new SideBarWidth(kept);
    let changes = 0;
    width.onChange(() => changes++);
    assert.equal(width.pixels, NARROW_SIDE_BAR);
    width.tell(300);
    width.tell(300);
    assert.deepEqual([width.pixels, changes, new SideBarWidth(kept).pixels], [300, 1, 300]);
  });

  it('is not that of a page that was moved elsewhere, nor what another program left in its place', () => {
    const kept = memory();
    const width = new SideBarWidth(kept);
    for (const pixels of [1400, 0, -1, Number.NaN]) width.tell(pixels);
    assert.equal(width.pixels, NARROW_SIDE_BAR);
    for (const value of ['300', null, {}, 1e9]) {
      assert.equal(new SideBarWidth({ ...kept, get: () => value }).pixels, NARROW_SIDE_BAR);
    }
  });
});
