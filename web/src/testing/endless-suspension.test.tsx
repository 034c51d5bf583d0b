import { Suspense, use } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it, onTestFinished } from 'vitest'

/** What the router did with Preact: its promise is settled, and the part suspends all the same. */
function Endless({ onRender }: { readonly onRender: () => void }) {
  onRender()
  use(Promise.resolve())
  return null
}

it('a part that suspends again and again leaves time for tasks', async () => {
  const root = createRoot(document.createElement('div'))
  onTestFinished(() => root.unmount())
  let renders = 0
  const rendersMany = new Promise<void>((resolve) => {
    root.render(
      <Suspense>
        <Endless onRender={() => (renders += 1) > 100 && resolve()} />
      </Suspense>,
    )
  })
  await rendersMany
  await new Promise((resolve) => setTimeout(resolve))
  expect(renders).toBeGreaterThan(100)
})
