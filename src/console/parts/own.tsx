/** @jsxRuntime automatic @jsxImportSource preact */

/** Nobody approves their own by the way: it is said, and the server asks for it too. */
export function Own({ required = true }: { required?: boolean }) {
  return (
    <div class="field check own">
      <label>
        <input type="checkbox" name="own_proposal:flag" aria-describedby="own-why" value="true" required={required} />
        <span>This is my own proposal, or my agent's. I approve it nonetheless, and the audit says so.</span>
      </label>
      <p class="hint" id="own-why">
        Whoever made a key answers for what its agent proposes, so that counts as theirs.
      </p>
    </div>
  );
}
