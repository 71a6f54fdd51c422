// @ts-check
// A small picture of a page that does not exist: three stations on a map, and how hard the wind blows at each.
import { crc32, deflateSync } from 'node:zlib';

const [WIDTH, HEIGHT] = [360, 150];
const SKY = [226, 236, 244];
const LAND = [205, 222, 196];
const STATIONS = [
  { x: 70, y: 84, length: 46, color: [46, 120, 190] },
  { x: 170, y: 66, length: 70, color: [46, 120, 190] },
  { x: 268, y: 92, length: 78, color: [196, 52, 44] },
];

/** @returns {string} a PNG, in base64 */
export function demoPicture() {
  const rows = Buffer.alloc(HEIGHT * (1 + WIDTH * 3));
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) rows.set(colorAt(x, y), y * (1 + WIDTH * 3) + 1 + x * 3);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // 8 bits a channel, RGB.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]).toString('base64');
}

/**
 * @param {number} x
 * @param {number} y
 * @returns {readonly number[]}
 */
function colorAt(x, y) {
  for (const station of STATIONS) {
    const [across, down] = [x - station.x, y - station.y];
    if (across * across + down * down <= 49) return station.color;
    const isShaft = across > 0 && across <= station.length && Math.abs(down + across / 3) <= 2;
    const toTip = station.length + 10 - across;
    const isHead = toTip >= 0 && toTip <= 16 && Math.abs(down + across / 3) <= toTip / 1.6;
    if (isShaft || isHead) return station.color;
  }
  const shore = 104 + 9 * Math.sin(x / 34) + 5 * Math.sin(x / 13);
  return y > shore ? LAND : SKY;
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
