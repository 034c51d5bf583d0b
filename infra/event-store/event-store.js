export class WrongRevision extends Error {
    stream;
    expected;
    actual;
    name = 'WrongRevision';
    constructor(stream, expected, actual) {
        super(`Stream ${stream} stands at ${actual}, not at ${expected}`);
        this.stream = stream;
        this.expected = expected;
        this.actual = actual;
    }
}
/**
 * The log ends before the checkpoint: it was wiped, or restored from a backup, under views that know more. Going on
 * would skip events in silence, so whoever runs the views must decide.
 */
export class CheckpointBeyondEnd extends Error {
    checkpoint;
    end;
    name = 'CheckpointBeyondEnd';
    constructor(checkpoint, end) {
        super(`The event log ends at ${end}, before the checkpoint ${checkpoint}: it was wiped or restored, or this is another log`);
        this.checkpoint = checkpoint;
        this.end = end;
    }
}
/**
 * What no store takes, checked here alike for all of them.
 *
 * @throws {TypeError} for no events, a stream or type without a name or with one that can't be kept, an id that is no
 * UUID, an expectation that is no revision.
 */
export function checkAppend(stream, expected, events) {
    if (!isName(stream))
        throw new TypeError(`Not a stream's name: ${JSON.stringify(stream)}`);
    if (expected !== 'none' && !(Number.isSafeInteger(expected) && expected >= 0))
        throw new TypeError(`Not a revision: ${expected}`);
    if (events.length === 0)
        throw new TypeError(`No events to append to ${stream}`);
    for (const { id, type, data, metadata } of events) {
        if (!isName(type))
            throw new TypeError(`Not an event type: ${JSON.stringify(type)}`);
        if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
            throw new TypeError(`Not a UUID in lower case: ${JSON.stringify(id)}`);
        // JSON text holds no raw NUL, and SQLite would give it back cut there.
        if (data.includes('\0') || metadata.includes('\0'))
            throw new TypeError(`Not JSON text: event ${id}`);
    }
}
/** No control characters or halves of surrogate pairs, which would not come back as they were; `$` marks a store's own. */
function isName(text) {
    return /^[^$\p{Cc}\p{Cs}][^\p{Cc}\p{Cs}]*$/u.test(text);
}
/** Before the first event of any log. */
export const start = toPosition('0');
/**
 * The only maker of positions, for adapters and for what arrives from outside.
 *
 * @throws {TypeError} when it is no decimal number.
 */
export function toPosition(text) {
    if (!isPosition(text))
        throw new TypeError(`Not a log position: ${text}`);
    return text;
}
/** Whether a text from outside (a header, a cookie) can be a position. */
export function isPosition(text) {
    return /^(0|[1-9]\d{0,19})$/.test(text);
}
/** The only maker of checkpoints, for adapters and for one that was kept. @throws {TypeError} for an empty text. */
export function toCheckpoint(text) {
    if (!isCheckpoint(text))
        throw new TypeError('An empty text is no checkpoint');
    return text;
}
/** Only the adapter knows more about them. */
function isCheckpoint(text) {
    return text !== '';
}
/** Negative, zero or positive as `a` lies before, at or after `b`. */
export function comparePositions(a, b) {
    return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
//# sourceMappingURL=event-store.js.map