import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Tooltip } from './tooltip.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms))
const trigger = (name: string) => screen.getByText(name)
const tooltip = () => screen.queryByRole('tooltip')?.textContent

function show() {
  render(
    <>
      <Tooltip content="The first">
        <span tabIndex={0}>one</span>
      </Tooltip>
      <Tooltip content="The second">
        <span>two</span>
      </Tooltip>
    </>,
  )
  // Longer than after any tooltip of another test.
  pass(1_000)
}

describe('a tooltip', () => {
  it('opens 700 ms after pointing, and the next one at once', () => {
    show()
    fireEvent.pointerEnter(trigger('one'))
    pass(699)
    expect(tooltip()).toBeUndefined()
    pass(1)
    expect(tooltip()).toBe('The first')
    expect(trigger('one').getAttribute('aria-describedby')).toBe(screen.getByRole('tooltip').id)
    fireEvent.pointerLeave(trigger('one'))
    pass(200)
    expect(tooltip()).toBeUndefined()
    expect(trigger('one').getAttribute('aria-describedby')).toBeNull()
    fireEvent.pointerEnter(trigger('two'))
    pass(0)
    expect(tooltip()).toBe('The second')
    fireEvent.pointerLeave(trigger('two'))
    pass(1_000)
    fireEvent.pointerEnter(trigger('one'))
    pass(699)
    expect(tooltip()).toBeUndefined()
  })

  it('stays while the pointer is on it', () => {
    show()
    fireEvent.pointerEnter(trigger('one'))
    pass(700)
    fireEvent.pointerLeave(trigger('one'))
    pass(50)
    fireEvent.pointerEnter(screen.getByRole('tooltip'))
    pass(5_000)
    expect(tooltip()).toBe('The first')
    fireEvent.pointerLeave(screen.getByRole('tooltip'))
    pass(200)
    expect(tooltip()).toBeUndefined()
  })

  it('does not open for a finger, nor for a pointer that passes', () => {
    show()
    fireEvent.pointerEnter(trigger('one'), { pointerType: 'touch' })
    pass(5_000)
    fireEvent.pointerEnter(trigger('one'))
    pass(100)
    fireEvent.pointerLeave(trigger('one'))
    pass(5_000)
    expect(tooltip()).toBeUndefined()
  })

  it.each([
    ['a press', () => fireEvent.pointerDown(trigger('one'))],
    ['scrolling', () => fireEvent.scroll(document)],
    ['Escape', () => fireEvent.keyDown(document.body, { key: 'Escape' })],
  ])('ends with %s', (_, end) => {
    show()
    fireEvent.pointerEnter(trigger('one'))
    pass(700)
    expect(tooltip()).toBe('The first')
    end()
    expect(tooltip()).toBeUndefined()
  })

  it('takes Escape for itself: what is open below it stays', () => {
    show()
    fireEvent.pointerEnter(trigger('one'))
    pass(700)
    const heard = vi.fn()
    document.addEventListener('keydown', heard, { capture: true })
    fireEvent.keyDown(document.body, { key: 'Escape' })
    expect(heard).not.toHaveBeenCalled()
    fireEvent.keyDown(document.body, { key: 'Escape' })
    expect(heard).toHaveBeenCalledOnce()
    document.removeEventListener('keydown', heard, { capture: true })
  })
})
