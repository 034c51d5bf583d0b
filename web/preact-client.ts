import { options } from 'preact'

/**
 * `react-dom/client` on Preact, with two rules of React that pages depend on.
 *
 * Effects run before the next render. Preact runs them after the next frame, and what subscribes to a store does so in an effect. The router
 * suspends a page until a transition ends: a part of the page that had not yet subscribed would render the same again, suspend on
 * a promise that is settled, render again in a microtask, and so on without a frame.
 *
 * Updates in a row are limited. They render in microtasks, so what a key has changed is rendered before the next key. A longer row goes
 * on in a task: the page stays alive.
 */
options.requestAnimationFrame = queueMicrotask

/** As many as React allows before it reports an endless update. */
const MOST_IN_A_ROW = 50

let row = 0
let waiting: (() => void)[] = []
const { port1, port2 } = new MessageChannel()
port1.addEventListener('message', () => {
  row = 0
  const renders = waiting
  waiting = []
  for (const render of renders) render()
})
port1.start()

options.debounceRendering = (render) => {
  // This message arrives after all microtasks.
  if (row === 0) port2.postMessage(undefined)
  row += 1
  if (row <= MOST_IN_A_ROW) queueMicrotask(render)
  else waiting.push(render)
}

export { createRoot, hydrateRoot } from 'preact/compat/client'
