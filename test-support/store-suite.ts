import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { Unavailable } from '#infra/failures.ts'

/** A new, empty place for a store. Its server may be shared with other tests. */
export interface StorePlace<Store> {
  /** Opens a store there. Another one is like another process, or the same after a restart. */
  open(): Store
  /** Called last, when every store is closed. */
  remove?(): unknown
}

/** Prepares a place for each test. Stores opened with `open` are closed after it. */
export function useStores<Store extends { close(): Promise<void> }, Place extends StorePlace<Store>>(
  prepare: () => Promise<Place & StorePlace<Store>>,
): { place(): Place; open(): Store } {
  const stores: Store[] = []
  let current: (Place & StorePlace<Store>) | undefined
  const place = () => {
    if (!current) throw new Error('Stores are opened in tests only')
    return current
  }
  beforeEach(async () => {
    current = await prepare()
  })
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()))
    await current?.remove?.()
  })
  return {
    place,
    open() {
      const store = place().open()
      stores.push(store)
      return store
    },
  }
}

/** A place in a folder of its own. */
export async function newFolder<Store>(open: (folder: string) => Store): Promise<StorePlace<Store>> {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-store-'))
  return { open: () => open(folder), remove: () => rmSync(folder, { recursive: true }) }
}

/** Closes a store, which may be repeated. Then every call must be refused. */
export async function expectClosed(
  store: { close(): Promise<void> },
  ...calls: readonly (() => Promise<unknown>)[]
): Promise<void> {
  await store.close()
  await store.close()
  for (const call of calls) await expect(call()).rejects.toThrow(Unavailable)
}
