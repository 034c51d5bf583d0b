/**
 * Vitest loads this before each test file: with `TEST_SEED` every fast-check property draws from that seed. Without it
 * fast-check prints the seed of a failure.
 */
const seed = process.env['TEST_SEED']
if (seed !== undefined) (await import('fast-check')).configureGlobal({ seed: Number(seed) })
