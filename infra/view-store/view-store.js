export class BadCursor extends Error {
    name = 'BadCursor';
}
//# sourceMappingURL=view-store.js.map