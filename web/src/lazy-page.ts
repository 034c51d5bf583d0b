import { lazyRouteComponent } from '@tanstack/react-router'
import { type ComponentType, createElement, lazy, type ReactElement, Suspense } from 'react'
import { isReachable, onReachable } from './api/reachability.ts'
import { timeZone } from './time-zone.ts'
import { CodeMissing, MissingInPage, MissingOverPage, PartBoundary } from './ui/missing-part.tsx'
import { useStore } from './use-store.ts'

/** Code that loads when it is needed. */

/** Whether code could not be loaded: offline, or because a newer version of the app has other files. */
export function isMissingCode(error: unknown): boolean {
  return (
    error instanceof CodeMissing ||
    (error instanceof TypeError && /dynamically imported module|module script/i.test(error.message))
  )
}

/**
 * A route's component that loads with its page. Unlike the router's own, it never reloads the document when that fails,
 * which would replace the app by the browser's error page while offline: the page says so and offers another try. The
 * page renders again in another time zone; what is typed into it stays. `props` are what it shows of features above its
 * own, or load it.
 */
export function lazyPage<Name extends string, Props extends object = object>(
  load: () => Promise<Readonly<Record<Name, ComponentType<NoInfer<Props>>>>>,
  exportName: Name,
  props?: Props | (() => Promise<Props>),
) {
  const loadAll = () => Promise.all([load(), typeof props === 'function' ? props() : props])
  return lazyRouteComponent(
    () =>
      loadTwice(loadAll).then(
        ([{ [exportName]: Page }, loaded]) => ({ Page: inTimeZone(Page, loaded) }),
        (error: unknown) => {
          throw new CodeMissing('The code of this page could not be loaded.', { cause: error })
        },
      ),
    'Page',
  )
}

/**
 * Reads ahead what a page shows, by queries that load beside the page and not with the app: what they ask and answer is
 * a fifth of the app's code. A failure is not told here: the page reads the same, and says what failed.
 */
export async function prefetchLazily<Module>(
  load: () => Promise<Module>,
  prefetch: (module: Module) => Promise<void> | readonly Promise<void>[],
): Promise<void> {
  try {
    const reads = prefetch(await load())
    await (Array.isArray(reads) ? Promise.all(reads) : reads)
  } catch {
    // The page says so.
  }
}

function inTimeZone<Props extends object>(Page: ComponentType<Props>, props: Props | undefined) {
  return function InTimeZone() {
    useStore(timeZone)
    return createElement(Page, props)
  }
}

/**
 * A part of a page that loads when it is first shown, and suspends until then. Without a connection it appears when
 * that is back, instead of failing the page. Where its code is gone, `Instead` says so and the page stays as it is; what
 * is shown anew afterwards asks for the code again.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Instead: ComponentType<Props> = MissingInPage,
): (props: Props) => ReactElement {
  const part = () => lazy(() => loadWhenReachable(load))
  let Part = part()
  const onMissing = () => void (Part = part())
  return function LazyPart(props) {
    return createElement(PartBoundary, {
      instead: createElement(Instead, props),
      onMissing,
      children: createElement(Part, props),
    })
  }
}

/** The same for what opens over a page: nothing is there until it has loaded. */
export function lazyPart<Props extends { readonly onClose: () => void }>(load: () => Promise<ComponentType<Props>>) {
  return lazyPartOr<Props>(load, MissingOverPage)
}

/** The same for what nothing closes, or what stands in the page and needs no place before. */
export function lazyPartOr<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Instead: ComponentType<Props>,
) {
  const Part = lazyComponent(load, Instead)
  return (props: Props) => createElement(Suspense, null, createElement(Part, props))
}

/** A network that changes ends requests in the middle: while the server answers, code is asked for once more. */
async function loadTwice<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (!(await isReachable())) throw error
    return load()
  }
}

async function loadWhenReachable<Component>(load: () => Promise<Component>): Promise<{ readonly default: Component }> {
  for (;;) {
    try {
      return { default: await loadTwice(load) }
    } catch (error) {
      if (await isReachable()) throw new CodeMissing('The code of this part could not be loaded.', { cause: error })
      await new Promise<void>((resolve) => {
        const stop = onReachable(() => {
          stop()
          resolve()
        })
      })
    }
  }
}
