import { z } from 'zod'
import { until } from '../test-support/until.ts'

const readiness = z.object({ parts: z.object({ views: z.object({ views: z.array(z.object({ caughtUp: z.boolean() })) }) }) })

/** Waits until the worker has nothing left to do, as any of the services tells. */
export async function untilCaughtUp(url: string): Promise<void> {
  await until(
    async () => {
      const response = await fetch(new URL('/readyz', url))
      const { parts } = readiness.parse(await response.json())
      return parts.views.views.every(({ caughtUp }) => caughtUp)
    },
    'the worker to catch up',
    120_000,
  )
}
