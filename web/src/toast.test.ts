import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useStore } from './use-store.ts'
import { dismissToast, REMOVED_AFTER, shownToast, toast, toastFailure } from './toast.ts'

describe('toasts', () => {
  const remove = () =>
    act(() => {
      dismissToast()
      vi.runAllTimers()
    })

  beforeEach(() => {
    vi.useFakeTimers()
    // The tests of other files share the window, and may have left one; a new one replaces it.
    act(() => toast('Replaces what is left'))
    remove()
  })
  afterEach(() => {
    remove()
    vi.useRealTimers()
  })

  const shown = () => renderHook(() => useStore(shownToast)).result

  it('show at most one: a new toast replaces the old one', () => {
    const current = shown()
    expect(current.current).toBeUndefined()
    act(() => toast('User updated'))
    act(() => toastFailure('Update failed', 'This email is taken'))
    expect(current.current).toMatchObject({
      title: 'Update failed',
      description: 'This email is taken',
      destructive: true,
      open: true,
    })
  })

  it('say by their look whether something failed', () => {
    const current = shown()
    act(() => toast('Certificate uploaded'))
    expect(current.current?.destructive).toBe(false)
    act(() => toastFailure('Upload failed'))
    expect(current.current?.destructive).toBe(true)
  })

  it('are removed 1,000,000 ms after they were dismissed, and not before', () => {
    expect(REMOVED_AFTER).toBe(1_000_000)
    const current = shown()
    act(() => toast('Payout requested'))
    act(() => void vi.advanceTimersByTime(2_000_000))
    expect(current.current?.open).toBe(true)
    act(() => dismissToast())
    expect(current.current?.open).toBe(false)
    act(() => void vi.advanceTimersByTime(999_999))
    expect(current.current).toMatchObject({ title: 'Payout requested', open: false })
    act(() => void vi.advanceTimersByTime(1))
    expect(current.current).toBeUndefined()
  })

  it('stay for their own time: a dismissed one that gave way takes nothing with it', () => {
    const current = shown()
    act(() => toast('User created'))
    act(() => dismissToast())
    act(() => void vi.advanceTimersByTime(600_000))
    act(() => toast('User deleted'))
    act(() => void vi.advanceTimersByTime(600_000))
    expect(current.current).toMatchObject({ title: 'User deleted', open: true })
  })

  it('count the time from the first dismissal, however often they are dismissed', () => {
    const current = shown()
    act(() => toast('User created'))
    act(() => dismissToast())
    act(() => void vi.advanceTimersByTime(500_000))
    act(() => dismissToast())
    act(() => void vi.advanceTimersByTime(500_000))
    expect(current.current).toBeUndefined()
  })
})
