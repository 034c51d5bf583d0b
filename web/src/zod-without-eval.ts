// Stops zod from compiling schemas with `new Function`, which the security policy forbids and reports. This sets zod's
// global configuration before zod loads.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
