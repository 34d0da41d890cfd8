package kingmaker;

import java.util.List;
import java.util.Map;

/**
 * The table of Kings in the Corner.
 *
 * @param piles the cards of each place (N, E, S, W, NE, SE, SW, NW, in this order), from the bottom (highest) up
 * @param stock how many cards are left in it
 * @param handSizes by seat
 * @param turned the cards turned at the start onto N, E, S, W
 */
public record Layout(Map<String, List<Integer>> piles, int stock, List<Integer> handSizes, List<Integer> turned) {}
