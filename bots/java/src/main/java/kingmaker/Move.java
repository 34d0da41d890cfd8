package kingmaker;

/** An action with the seat that took it. */
public record Move(int seat, int action) {}
