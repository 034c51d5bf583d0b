import { act, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Scrubber } from './scrubber.tsx'

const moments = { numbers: [7, 12, 30, 1042], times: [1, 2, 3, 4].map((day) => Date.UTC(2026, 2, day)) }

/** In place of the address. */
function Site({ onMove }: { readonly onMove: (index: number) => void }) {
  const [index, setIndex] = useState(3)
  const move = async (to: number) => {
    onMove(to)
    setIndex(to)
  }
  return <Scrubber label="Moment" fieldLabel="Go to" moments={moments} index={index} onMove={move} />
}

describe('the scrubber', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const slider = () => screen.getByRole('slider', { name: 'Moment' })
  const press = (...keys: readonly string[]) => keys.forEach((key) => fireEvent.keyDown(slider(), { key }))
  const pause = () => act(() => vi.advanceTimersByTimeAsync(1_000))

  it('says in words where it is', () => {
    render(<Site onMove={() => {}} />)
    expect(slider().getAttribute('aria-valuetext')).toMatch(/^Entry #1042, \d Mar 2026, \d\d:00:00 UTC, 4 of 4$/)
    expect([slider().getAttribute('min'), slider().getAttribute('max')]).toEqual(['0', '3'])
  })

  it('shows a move at once and tells of it once a pause', async () => {
    const onMove = vi.fn()
    render(<Site onMove={onMove} />)
    press('ArrowLeft', 'ArrowLeft', 'ArrowLeft')
    expect(slider().getAttribute('aria-valuetext')).toMatch(/^Entry #7,/)
    expect(onMove).not.toHaveBeenCalled()
    await pause()
    expect(onMove.mock.calls).toEqual([[0]])
    press('ArrowRight')
    await pause()
    expect(onMove.mock.calls).toEqual([[0], [1]])
  })

  it('leaves the browser its own keys', () => {
    render(<Site onMove={() => {}} />)
    expect(fireEvent.keyDown(slider(), { key: 'ArrowLeft', altKey: true })).toBe(true)
    expect(fireEvent.keyDown(slider(), { key: 'ArrowLeft' })).toBe(false)
  })

  it('has buttons for one entry earlier and later, as far as there are any', async () => {
    const onMove = vi.fn()
    render(<Site onMove={onMove} />)
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Moment: one entry later' }).disabled).toBe(true)
    fireEvent.click(screen.getByRole('button', { name: 'Moment: one entry earlier' }))
    await pause()
    expect(onMove.mock.calls).toEqual([[2]])
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Moment: one entry later' }).disabled).toBe(false)
  })

  it('follows the address when its reader goes back', () => {
    const { rerender } = render(
      <Scrubber label="Moment" fieldLabel="Go to" moments={moments} index={1} onMove={async () => {}} />,
    )
    expect(slider().getAttribute('aria-valuetext')).toMatch(/^Entry #12,/)
    rerender(<Scrubber label="Moment" fieldLabel="Go to" moments={moments} index={2} onMove={async () => {}} />)
    expect(slider().getAttribute('aria-valuetext')).toMatch(/^Entry #30,/)
  })
})
