// zod would otherwise try to compile schemas with `new Function`, which the page's security policy forbids and reports.
// Said where zod itself keeps its configuration, before any of it is loaded: it is no part of the first page.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
