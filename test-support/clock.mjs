/**
 * Preloaded into the program (NODE_OPTIONS=--import=…): its clock starts at TEST_CLOCK, in ms since 1970, and runs from there.
 * Sessions in old data have expired by the clock of today.
 */
const RealDate = Date
const offset = Number(process.env['TEST_CLOCK']) - RealDate.now()

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [RealDate.now() + offset] : parts))
  }

  static now() {
    return RealDate.now() + offset
  }
}
