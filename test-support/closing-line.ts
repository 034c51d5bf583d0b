import type { Reporter, TestModule, Vitest } from 'vitest/node'

/**
 * Ends a run in one plain line that machines read: 'N passed, N failed', and ', N skipped' where there are any. With
 * CI=true a test that lacks its server or browser counts as failed; one that skips itself with a reason does not.
 */
export default class ClosingLine implements Reporter {
  #mustRun = false

  onInit({ config }: Vitest): void {
    // Other set-ups replace servers, and some tests are about those of one machine.
    this.#mustRun =
      process.env['CI'] === 'true' && process.env['TEST_SETUPS'] === undefined && config.testNamePattern === undefined
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let [passed, failed, skipped] = [0, 0, 0]
    const missing: string[] = []
    for (const module of modules) {
      // A file that can't be loaded has no tests that could fail.
      failed += module.errors().length
      for (const test of module.children.allTests()) {
        const result = test.result()
        if (result.state === 'passed') passed += 1
        else if (result.state === 'failed') failed += 1
        else if (this.#mustRun && !(result.state === 'skipped' && result.note)) missing.push(test.fullName)
        else skipped += 1
      }
    }
    if (missing.length > 0) {
      process.stdout.write(`\nSkipped, which fails with CI=true:\n${missing.map((name) => `  ${name}\n`).join('')}`)
      process.exitCode = 1
    }
    failed += unhandledErrors.length + missing.length
    process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  }
}
